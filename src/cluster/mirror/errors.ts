/** Why a node cannot mirror a camera. */

import { defineErrors } from '../../core/errors.ts';

export const MIRROR_ERRORS = defineErrors({
  MIRROR_NOT_OWNER: {
    kind: 'unavailable',
    message: 'this node does not pull the camera',
  },
  MIRROR_UNKNOWN_CAMERA: {
    kind: 'unavailable',
    message: 'this node does not know the camera yet',
  },
  MIRROR_OWNER_LOST: {
    kind: 'unavailable',
    message: 'the node that pulled the camera is gone; another one takes over',
  },
});
