// Checks each link before the widget follows it. The proxy has checked them too, but money moves behind them.
import type { SessionState } from '../shell/state.ts';
import { isDangerousScheme, isSafeWebUrl } from '../../backend-proxy/protocol/links.ts';

/** The URL of a web page such as the checkout, or null if it is not safe to open. */
export function checkoutLink(url: string | null): string | null {
  const parsed = parse(url);
  return parsed && isSafeWebUrl(parsed) ? url : null;
}

/** The shop's help page: https only. */
export function supportLink(url: string | null | undefined): string | null {
  return parse(url)?.protocol === 'https:' ? (url ?? null) : null;
}

/** Where the shop wants the shopper back; null if the proxy has not accepted the token, or if that is this page. */
export function returnLink({ claims, order }: SessionState): string | null {
  const link = order.version >= 0 ? checkoutLink(claims?.returnUrl ?? null) : null;
  const isHere = link && new URL(link).href.split('#')[0] === location.href.split('#')[0];
  return isHere ? null : link;
}

/** A link to a wallet app or a web page. Only the proxy knows the apps' schemes; here dangerous ones are refused. */
export function appLink(url: string | null): string | null {
  const parsed = parse(url);
  if (!parsed || isDangerousScheme(parsed)) return null;
  return /^https?:$/.test(parsed.protocol) ? checkoutLink(url) : url;
}

function parse(url: string | null | undefined): URL | null {
  return url && URL.canParse(url) ? new URL(url) : null;
}
