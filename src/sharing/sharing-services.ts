/** Wires up what organizations share: links to cameras, walls, and files, and their schedules. */

import type { Clock } from '../core/clock.ts';
import type { Store } from '../store/store.ts';
import type { AccessRules } from './access-rules.ts';
import type { Passwords } from './password.ts';
import { ScheduleService } from './schedule-service.ts';
import { ShareService, type ShareServiceOptions } from './share-service.ts';
import { ShareTokens } from './share-token.ts';
import { SharedGroupService } from './shared-group-service.ts';
import { VideoWallService } from './video-wall-service.ts';
import { WallShareService } from './wall-share-service.ts';

export interface SharingServices {
  readonly shares: ShareService;
  readonly schedules: ScheduleService;
  readonly videoWalls: VideoWallService;
  readonly wallShares: WallShareService;
  readonly sharedGroups: SharedGroupService;
}

export interface SharingServiceParts
  extends Pick<ShareServiceOptions, 'counters' | 'signInDomains' | 'publicRtspUrl'> {
  readonly store: Store;
  readonly clock: Clock;
  readonly rules: AccessRules;
  readonly passwords: Passwords;
  /** Signs the tokens of all links. */
  readonly shareTokenKey: Buffer;
  /** Where viewers reach the media listener. */
  readonly publicMediaUrl: string;
}

export function createSharingServices({ shareTokenKey, ...parts }: SharingServiceParts): SharingServices {
  const wallShares = new WallShareService({ ...parts, tokens: ShareTokens.forWalls(shareTokenKey) });
  return {
    shares: new ShareService({ ...parts, tokens: new ShareTokens(shareTokenKey) }),
    schedules: new ScheduleService(parts),
    wallShares,
    videoWalls: new VideoWallService({ ...parts, shares: wallShares }),
    sharedGroups: new SharedGroupService({ ...parts, tokens: ShareTokens.forGroups(shareTokenKey) }),
  };
}
