// The scenes in which the states are drawn. A picture of each state is kept in two scenes, and of some states in the
// others: these differ in colors, direction, width or language only, and the repository must stay small.
import type { STATES } from '../widget/states.ts';
import type { Variant } from './states-page.ts';

export type StateName = keyof typeof STATES;

export interface Scene extends Variant {
  /** The states of which a picture is kept; all by default. */
  kept?: readonly StateName[];
}

/** At least one of each panel, and of each kind of note, field and control. */
const SOME: readonly StateName[] = [
  'choose',
  'choose, test',
  'choose, one method',
  'choose, amount wrong',
  'choose, payment open',
  'refused: method unavailable',
  'fetching the code',
  'lost, request',
  'checking',
  'redirect',
  'scan',
  'scan, app pressed',
  'wallet, time left',
  'paid',
  'paid, refunded in part',
  'declined, with help',
  'closed',
  'offline',
];

export const SCENES: Readonly<Record<string, Scene>> = {
  light: { width: 400 },
  phone: { width: 320, options: { hasTouch: true, isMobile: true } },
  dark: { width: 400, options: { colorScheme: 'dark' }, kept: SOME },
  wide: { width: 640, kept: SOME },
  'right to left': { width: 400, lang: 'ar', kept: SOME },
  'German at 240 px': { width: 240, lang: 'de', kept: SOME },
  'Japanese at 320 px': { width: 320, lang: 'ja', kept: SOME },
  'text at 200 %': { width: 400, textSize: 32, kept: SOME },
  'forced colors': { width: 400, options: { forcedColors: 'active', colorScheme: 'dark' }, kept: SOME },
  'more contrast': { width: 400, options: { contrast: 'more' }, kept: SOME },
};
