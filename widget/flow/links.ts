// Checks each link before the widget follows it. The proxy has checked them too, but money moves behind them.
import { isDangerousScheme, isSafeWebUrl } from '../../backend-proxy/protocol/links.ts';

/** The URL of a checkout page, or null if it is not safe to open. */
export function checkoutLink(url: string | null): string | null {
  const parsed = parse(url);
  return parsed && isSafeWebUrl(parsed) ? url : null;
}

/** The shop's help page: https only. */
export function supportLink(url: string | null | undefined): string | null {
  return parse(url)?.protocol === 'https:' ? (url ?? null) : null;
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
