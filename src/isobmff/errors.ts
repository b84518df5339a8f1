/** Error codes of reading ISO base media files. */

import { defineErrors } from '../core/errors.ts';

export const ISOBMFF_ERRORS = defineErrors({
  ISOBMFF_BOX_SIZE: {
    kind: 'peer-protocol',
    message: 'A box is smaller than its header, larger than its container, or has no end.',
  },
  ISOBMFF_BOX_TRUNCATED: { kind: 'peer-protocol', message: 'A field reaches beyond the end of its box.' },
  ISOBMFF_BOX_MISSING: { kind: 'peer-protocol', message: 'A box that has to be there is not.' },
  ISOBMFF_BOX_INVALID: { kind: 'peer-protocol', message: 'A box holds a value it may not hold.' },
  ISOBMFF_SAMPLE_OUTSIDE: {
    kind: 'peer-protocol',
    message: 'A sample does not lie in the media data that follows its movie fragment.',
  },
  ISOBMFF_LIMIT: { kind: 'limit', message: 'The file exceeds a limit on boxes, samples or bytes.' },
});
