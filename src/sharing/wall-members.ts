/**
 * The members of a shared video wall. Each of its cameras has a share that is not stored and has the rules of the wall's share. So the
 * access decision of shares also decides about walls (docs/design/access.md#video-walls). Pure.
 */

import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import type {
  Camera,
  Share,
  StreamType,
  VideoWall,
  WallCell,
  WallLayout,
  WallShare,
} from '../store/entities.ts';
import type { ShareTerms } from './access-decision.ts';

export interface WallMember {
  readonly share: Share;
  /** Viewers read this while the camera is hidden; null: no particular text. */
  readonly unscheduledMessage: string | null;
}

/** How its cameras share the screen. Viewers know a camera by the share of its member. */
export interface WallViewLayout extends Pick<WallLayout, 'kind' | 'tourSec'> {
  readonly cells: readonly (Omit<WallCell, 'cameraUuid'> & { readonly memberUuid: Ruuid })[];
}

/** A shared wall in its current state. */
export interface WallView {
  readonly wallShare: WallShare;
  readonly name: string;
  /** The terms that decide about its link. A wall has no schedule: each camera has its own. */
  readonly terms: ShareTerms;
  /** In the order of the tiles. */
  readonly members: readonly WallMember[];
  readonly layout: WallViewLayout;
}

/** The audio of sixteen cameras at the same time is useless, so walls carry none. */
const INCLUDE_AUDIO = false;

/** The same for the same camera and share, so grants survive a restart and a change of the wall. */
export function memberUuidOf(wallShareUuid: Ruuid, cameraUuid: Ruuid): Ruuid {
  return deriveRuuid(`wall share ${wallShareUuid}`, cameraUuid);
}

/** `cameras`: those that exist; others have no tile. */
export function wallViewOf(
  wall: VideoWall,
  wallShare: WallShare,
  cameras: (uuid: Ruuid) => Pick<Camera, 'orgUuid' | 'name' | 'mummified'> | undefined,
  streamType: StreamType = 'USER',
): WallView {
  const members: WallMember[] = [];
  for (const { cameraUuid, facet, addedAtMs } of wall.cameras) {
    const camera = cameras(cameraUuid);
    if (camera === undefined || camera.mummified || camera.orgUuid !== wallShare.orgUuid) continue;
    const own = wallShare.deviceSchedules[cameraUuid];
    const rule = own === undefined || own.scheduleUuid === null ? wallShare : own;
    const share: Share = {
      uuid: memberUuidOf(wallShare.uuid, cameraUuid),
      orgUuid: wallShare.orgUuid,
      cameraUuid,
      cameraFacet: facet,
      name: camera.name,
      streamType,
      vodEnabled: wallShare.vodEnabled,
      vodPastSec: wallShare.vodPastSec,
      vodExpiresAtSec: wallShare.vodExpiresAtSec,
      includeAudio: INCLUDE_AUDIO,
      talk: false,
      showsUnmasked: wallShare.showsUnmasked,
      audioGatewayUuid: null,
      ssoProtected: false,
      cdn: null,
      expiresAtSec: wallShare.expiresAtSec,
      scheduleUuid: rule.scheduleUuid,
      invertSchedule: rule.invertSchedule,
      passwordHash: wallShare.passwordHash,
      accessEpoch: wallShare.accessEpoch,
      createdAtMs: Math.max(wallShare.createdAtMs, addedAtMs),
      updatedAtMs: wallShare.updatedAtMs,
    };
    members.push({ share, unscheduledMessage: own?.unscheduledMessage ?? wallShare.unscheduledMessage });
  }
  const { expiresAtSec, passwordHash, accessEpoch } = wallShare;
  return {
    wallShare,
    name: wall.name,
    members,
    layout: layoutOf(wall.layout, wallShare.uuid),
    terms: {
      expiresAtSec,
      passwordHash,
      accessEpoch,
      ssoProtected: false,
      scheduleUuid: null,
      invertSchedule: false,
    },
  };
}

function layoutOf({ kind, tourSec, cells }: WallLayout, wallShareUuid: Ruuid): WallViewLayout {
  const placed = cells.map(({ cameraUuid, ...cell }) => ({
    ...cell,
    memberUuid: memberUuidOf(wallShareUuid, cameraUuid),
  }));
  return { kind, tourSec, cells: placed };
}
