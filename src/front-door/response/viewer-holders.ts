/** The holders whose share of a limit a viewer uses. */

import type { ViewerSession } from '../../sharing/viewer-session.ts';

type Viewer = Pick<ViewerSession, 'orgUuid' | 'audienceUuid' | 'wallShareUuid' | 'grantText'>;

export interface ViewerHolders {
  readonly organization: string;
  /** All cameras of a wall have one. */
  readonly link: string;
  readonly viewer: string;
}

export function viewerHolders({ orgUuid, audienceUuid, wallShareUuid, grantText }: Viewer): ViewerHolders {
  return { organization: orgUuid, link: wallShareUuid ?? audienceUuid, viewer: grantText };
}
