/** What the camera and doorbell camera endpoints have in common: they create, list and delete shares of a device. */

import type { Static, TObject } from 'typebox';
import type { LongList } from '../../core/long-list.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { CameraName, CameraRef } from '../../devices/device-service.ts';
import type { CallContext } from '../../http/endpoint.ts';
import type { ShareLinks } from '../../sharing/share-service.ts';
import type { Share } from '../../store/entities.ts';
import { mayShare } from './caller-rights.ts';
import {
  type CAMERA_SHARE_PROPERTIES,
  type CREATED_SHARE_PROPERTIES,
  type NEW_SHARE_PROPERTIES,
  type SharedStreamAnswer,
  sharedStreamAnswer,
} from './share-fields.ts';

type NewShareFields = Static<TObject<typeof NEW_SHARE_PROPERTIES & typeof CAMERA_SHARE_PROPERTIES>>;
type CreatedShare = Static<TObject<typeof CREATED_SHARE_PROPERTIES>>;

export async function createShare(
  context: CallContext,
  { camera, facet }: CameraRef,
  fields: NewShareFields,
): Promise<CreatedShare> {
  const { orgUuid, services } = context;
  const share = await services.shares.create(orgUuid, { ...fields, camera, cameraFacet: facet });
  warnOfIdleValues(context, fields, share);
  if (share.vodEnabled) warnOfRecording(context, camera.uuid);
  const urls = services.shares.urls(share);
  return {
    sharedLiveVideoStreamUuid: share.uuid,
    sharedLiveVideoStreamUrl: urls.pageUrl,
    sharedLiveM3U8StreamUrl: urls.m3u8Url,
  };
}

/**
 * What has no effect because of the current state of the share: it may already have a schedule or the inversion, and a
 * password of only spaces is none.
 */
export function warnOfIdleValues(
  context: CallContext,
  { password = '' }: { readonly password?: string },
  { invertSchedule, scheduleUuid, passwordHash }: Share,
): void {
  if (password !== '' && password.trim() === '' && passwordHash === null) {
    context.warn('password is blank, so the share has none: anyone with its link can watch.');
  }
  if (invertSchedule && scheduleUuid === null) {
    context.warn('invertSchedule is stored but has no effect without scheduleUuid.');
  }
}

/** A share with VOD has no past if its camera is not recorded. */
function warnOfRecording(context: CallContext, cameraUuid: Ruuid): void {
  const recording = context.services.cameraRecordings.get(cameraUuid);
  if (recording?.isForbidden === true) {
    context.warn(
      'vodEnabled is stored but has no effect: the configuration file turns recording off for this camera.',
    );
  } else if (recording?.state === 'failed') {
    context.warn(
      `vodEnabled has no effect at the moment: recording failed with ${recording.code}. The gateway keeps trying.`,
    );
  }
}

/** The device's shares, newest first; only those of one facet if the request names one. */
export async function listShares(
  context: CallContext,
  device: CameraRef,
): Promise<LongList<SharedStreamAnswer>> {
  const { orgUuid, services } = context;
  return sharedStreamAnswers(context, await services.shares.listOfCamera(orgUuid, device));
}

export function sharedStreamAnswers(
  context: CallContext,
  shares: LongList<Share>,
): LongList<SharedStreamAnswer> {
  const { services } = context;
  const hasLinks = mayShare(context);
  return shares.map((share) => sharedStreamAnswer(share, hasLinks ? services.shares.urls(share) : NO_LINKS));
}

const NO_LINKS: ShareLinks = { pageUrl: '', m3u8Url: '' };

/** Deletes a share. If a device is given, only a share of that device. */
export async function deleteShare(
  { orgUuid, services: { shares } }: CallContext,
  shareUuid: Ruuid,
  device: CameraName | null,
): Promise<void> {
  if (device === null) await shares.remove(orgUuid, shareUuid);
  else await shares.removeOfCamera(orgUuid, shareUuid, device);
}
