/** How cameras are recorded of which nothing is said. */

import { NO_RULE } from './recording-rule.ts';
import type { RuleInEffect } from './recording-settings.ts';

export const RULE_OF_ALL_CAMERAS: RuleInEffect = {
  rule: NO_RULE,
  inFile: [],
  ignoredInFile: [],
  defaults: {
    streams: 'both',
    preRollMs: 10_000,
    postRollMs: 30_000,
    keepMs: 30 * 86_400_000,
    keepSubMs: 30 * 86_400_000,
    keepKeyFramesMs: null,
    maxBytes: null,
  },
  forecast: null,
};
