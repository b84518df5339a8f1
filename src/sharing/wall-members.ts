/**
 * What a shared video wall consists of: for each of its cameras a share that no one stored, with the rules of the wall's
 * share. Everything that decides about shares decides about these: there is no second access decision
 * (docs/design/access.md#video-walls). Pure.
 */

import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import type { Camera, Share, VideoWall, WallShare } from '../store/entities.ts';
import type { ShareTerms } from './access-decision.ts';

export interface WallMember {
  readonly share: Share;
  /** What viewers read while the camera is hidden; null: nothing in particular. */
  readonly unscheduledMessage: string | null;
}

/** A shared wall in its current state. */
export interface WallView {
  readonly wallShare: WallShare;
  readonly name: string;
  /** What decides about its link. It has no schedule: each camera has its own. */
  readonly terms: ShareTerms;
  /** In the order of the tiles. */
  readonly members: readonly WallMember[];
}

/** Audio of sixteen cameras at once helps no one, so walls carry none. */
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
      streamType: 'USER',
      vodEnabled: wallShare.vodEnabled,
      includeAudio: INCLUDE_AUDIO,
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
