// The sign above a panel's heading: what kind of news it is, before any word is read. Only what the shopper has to
// act on is red. What the shopper or the clock ended is gray.
import type { TemplateResult } from 'lit';
import { icon } from '../lit.ts';

const PATHS = {
  paid: 'm5 12.5 4.5 4.5L19 7.5',
  clock: 'M12 3.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17m0 4V12l3 2',
  ended: 'm7 7 10 10m0-10L7 17',
  wrong: 'M12 5v8.5m0 5h.01',
};

export const sign = (name: keyof typeof PATHS): TemplateResult => icon(name, PATHS[name]);
