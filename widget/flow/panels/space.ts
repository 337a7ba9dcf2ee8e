// Between two sentences of one paragraph: Chinese and Japanese have no space there.
import type { PanelContext } from '../../shell/panel.ts';

export const space = ({ language }: PanelContext): string => (/^(ja|zh)/.test(language) ? '' : ' ');
