/** Error codes of reading ISO base media files. */

import { defineErrors } from '../core/errors.ts';

export const ISOBMFF_ERRORS = defineErrors({
  ISOBMFF_BOX_SIZE: {
    kind: 'peer-protocol',
    message: 'A box is smaller than its header, larger than its container, or has no end.',
  },
  ISOBMFF_BOX_TRUNCATED: { kind: 'peer-protocol', message: 'A field extends past the end of its box.' },
  ISOBMFF_BOX_MISSING: { kind: 'peer-protocol', message: 'A required box is missing.' },
  ISOBMFF_BOX_INVALID: { kind: 'peer-protocol', message: 'A box contains an invalid value.' },
  ISOBMFF_SAMPLE_OUTSIDE: {
    kind: 'peer-protocol',
    message: 'A sample is not in the media data that follows its movie fragment.',
  },
  ISOBMFF_LIMIT: { kind: 'limit', message: 'The file exceeds a limit on boxes, samples or bytes.' },
});
