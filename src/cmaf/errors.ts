/** Error codes of cutting files into segments. */

import { defineErrors } from '../core/errors.ts';

export const CMAF_ERRORS = defineErrors({
  CMAF_CLIP_WITHOUT_VIDEO: {
    kind: 'peer-protocol',
    message: 'The file has no video that begins with a key frame.',
  },
  CMAF_CLIP_TIMES: {
    kind: 'peer-protocol',
    message: 'The times of the samples in the file contradict each other.',
  },
  CMAF_CLIP_SAMPLE: { kind: 'peer-protocol', message: 'A sample of the file is not a coded picture.' },
});
