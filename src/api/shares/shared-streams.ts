/** Shared live streams of cameras and doorbell cameras. */

import { type Static, type TObject, Type } from 'typebox';
import { LIMITS } from '../../core/limits/registry.ts';
import type { LongList } from '../../core/long-list.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { CameraName, CameraRef } from '../../devices/device-service.ts';
import { type CallContext, defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import { deviceFacetUuid, double, int32, listOf, plainText, ruuid } from '../../http/fields/field-types.ts';
import type { ShareLinks } from '../../sharing/share-service.ts';
import type { Share } from '../../store/entities.ts';
import { mayShare } from '../types/caller-rights.ts';
import { changes } from '../types/changes.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_DOORBELL_UUID, EXAMPLE_SHARE_UUID } from '../types/examples.ts';
import {
  behindPassword,
  CAMERA_SHARE_PROPERTIES,
  CREATED_SHARE_PROPERTIES,
  EXAMPLE_CREATED_SHARE,
  EXAMPLE_SHARED_STREAM,
  expectMayUnmask,
  NEW_CAMERA_SHARE_PROPERTIES,
  NEW_SHARE_PROPERTIES,
  NO_SIGN_IN,
  SHARED_STREAM_SCHEMA,
  type SharedStreamResponse,
  sharedDevice,
  sharedStreamResponse,
  VIEW_PROPERTIES,
} from '../types/share-fields.ts';

type NewShareFields = Static<TObject<typeof NEW_SHARE_PROPERTIES & typeof CAMERA_SHARE_PROPERTIES>>;
type CreatedShare = Static<TObject<typeof CREATED_SHARE_PROPERTIES>>;

async function createShare(
  context: CallContext,
  { camera, facet }: CameraRef,
  fields: NewShareFields,
): Promise<CreatedShare> {
  const { orgUuid, services } = context;
  expectMayUnmask(context, fields.showsUnmasked);
  const share = await services.shares.create(orgUuid, { ...fields, camera, cameraFacet: facet });
  warnOfIdleValues(context, fields, share);
  const urls = services.shares.urls(share);
  return {
    sharedLiveVideoStreamUuid: share.uuid,
    sharedLiveVideoStreamUrl: urls.pageUrl,
    sharedLiveM3U8StreamUrl: urls.m3u8Url,
    sharedLiveRtspStreamUrl: urls.rtspUrl,
  };
}

/**
 * Warns about values without effect in the current state of the share: it may already have a schedule or the inversion, a
 * password of only spaces does not protect it, and without a recording there is no past.
 */
function warnOfIdleValues(
  context: CallContext,
  { password = '' }: { readonly password?: string },
  share: Share,
): void {
  const { invertSchedule, scheduleUuid, passwordHash, vodEnabled: hasPast } = share;
  if (hasPast) warnOfRecording(context, share.cameraUuid);
  else if (share.vodPastSec !== null || share.vodExpiresAtSec !== null) {
    context.warn('vodPastSecs and vodExpirationTimeSecs are stored but have no effect without vodEnabled.');
  }
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
async function listShares(context: CallContext, device: CameraRef): Promise<LongList<SharedStreamResponse>> {
  const { orgUuid, services } = context;
  return sharedStreamResponses(context, await services.shares.listOfCamera(orgUuid, device));
}

function sharedStreamResponses(
  context: CallContext,
  shares: LongList<Share>,
): LongList<SharedStreamResponse> {
  const { services } = context;
  const hasLinks = mayShare(context);
  return shares.map((share) =>
    sharedStreamResponse(share, hasLinks ? services.shares.urls(share) : NO_LINKS),
  );
}

const NO_LINKS: ShareLinks = { pageUrl: '', m3u8Url: '', rtspUrl: null };

/** Deletes a share. If a device is given, only a share of that device. */
async function deleteShare(
  { orgUuid, services: { shares } }: CallContext,
  shareUuid: Ruuid,
  device: CameraName | null,
): Promise<void> {
  if (device === null) await shares.remove(orgUuid, shareUuid);
  else await shares.removeOfCamera(orgUuid, shareUuid, device);
}

const findSharedLiveVideoStreams = defineEndpoint({
  path: '/api/camera/findSharedLiveVideoStreams',
  summary: 'Lists the shared live streams of a camera.',
  description: 'Newest first, including expired ones. With a facet, only the shares of that facet.',
  request: Type.Object({ cameraUuid: deviceFacetUuid('The camera.') }),
  response: { sharedLiveVideoStreams: listOf(SHARED_STREAM_SCHEMA, 'The shares.') },
  example: {
    request: { cameraUuid: EXAMPLE_CAMERA_UUID },
    response: { sharedLiveVideoStreams: [EXAMPLE_SHARED_STREAM] },
  },
  async handler(context, { cameraUuid }) {
    return {
      sharedLiveVideoStreams: await listShares(
        context,
        await context.services.devices.findCamera(context.orgUuid, cameraUuid),
      ),
    };
  },
});

const findDoorbellSharedLiveVideoStreams = defineEndpoint({
  path: '/api/doorbellcamera/findSharedLiveVideoStreams',
  summary: 'Lists the shared live streams of a doorbell camera.',
  description: 'Newest first, including expired ones. With a facet, only the shares of that facet.',
  request: Type.Object({ doorbellCameraUuid: deviceFacetUuid('The doorbell camera.') }),
  response: { sharedLiveVideoStreams: listOf(SHARED_STREAM_SCHEMA, 'The shares.') },
  example: {
    request: { doorbellCameraUuid: EXAMPLE_DOORBELL_UUID },
    response: {
      sharedLiveVideoStreams: [
        { ...EXAMPLE_SHARED_STREAM, cameraUuid: EXAMPLE_DOORBELL_UUID, deviceUuid: EXAMPLE_DOORBELL_UUID },
      ],
    },
  },
  async handler(context, { doorbellCameraUuid }) {
    const device = await context.services.devices.findDoorbellCamera(context.orgUuid, doorbellCameraUuid);
    return { sharedLiveVideoStreams: await listShares(context, device) };
  },
});

const MOST = LIMITS.shares.perOrganization;

const findAllSharedLiveVideoStreams = defineEndpoint({
  path: '/api/camera/findAllSharedLiveVideoStreams',
  summary: 'Lists the shared live streams of the organization.',
  description:
    'Of all cameras and doorbell cameras, newest first, including those that expired within the last 30 days.',
  request: Type.Object({}),
  response: { sharedLiveVideoStreams: listOf(SHARED_STREAM_SCHEMA, 'The shares.') },
  example: { request: {}, response: { sharedLiveVideoStreams: [EXAMPLE_SHARED_STREAM] } },
  async handler(context) {
    const shares = await context.services.shares.listNewestFirst(context.orgUuid);
    if (shares.mostItems >= MOST) {
      context.warn(
        `At most the newest ${MOST.toLocaleString('en')} shares are listed. /api/camera/findSharedStreams has pages.`,
      );
    }
    return { sharedLiveVideoStreams: sharedStreamResponses(context, shares) };
  },
});

const NEW_CAMERA_SHARE = { cameraUuid: sharedDevice('The camera.'), ...NEW_CAMERA_SHARE_PROPERTIES };

async function createCameraShare(
  context: CallContext,
  body: Static<TObject<typeof NEW_CAMERA_SHARE>>,
): Promise<CreatedShare> {
  const { cameraUuid, streamType = 'USER', vodEnabled = false, ...fields } = body;
  const device = await context.services.devices.findCamera(context.orgUuid, cameraUuid);
  return createShare(context, device, { ...fields, streamType, vodEnabled });
}

const createSharedLiveVideoStream = defineEndpoint({
  path: '/api/camera/createSharedLiveVideoStream',
  summary: "Shares a camera's live stream.",
  description:
    'Only `cameraUuid` is required. The page is for people, the playlist for players and services. Without a ' +
    'password, both play right away. With one, the page asks for it, and the playlist accepts it as HTTP Basic or as ' +
    '`?password=`.',
  repetition: 'once',
  request: Type.Object(NEW_CAMERA_SHARE),
  response: CREATED_SHARE_PROPERTIES,
  example: {
    request: {
      cameraUuid: EXAMPLE_CAMERA_UUID,
      name: 'Front desk',
      expirationTimeSecs: 86_400,
    },
    response: EXAMPLE_CREATED_SHARE,
  },
  handler: createCameraShare,
});

const createProtectedSharedLiveVideoStream = defineEndpoint({
  path: '/api/camera/createProtectedSharedLiveVideoStream',
  summary: "Shares a camera's live stream behind a password.",
  ...behindPassword('createSharedLiveVideoStream', NEW_CAMERA_SHARE, createCameraShare),
  response: CREATED_SHARE_PROPERTIES,
  example: {
    request: {
      cameraUuid: EXAMPLE_CAMERA_UUID,
      name: 'Front desk',
      password: 'correct horse battery staple',
      expirationTimeSecs: 86_400,
    },
    response: EXAMPLE_CREATED_SHARE,
  },
});

/** Shares a doorbell camera's live stream (docs/spec/rules.md#shared-live-streams). */
const createDoorbellSharedLiveVideoStream = defineEndpoint({
  path: '/api/doorbellcamera/createSharedLiveVideoStream',
  summary: "Shares a doorbell camera's live stream.",
  description:
    'Like `/api/camera/createSharedLiveVideoStream`, but only for doorbell cameras; others are refused.',
  repetition: 'once',
  request: Type.Object({
    doorbellCameraUuid: sharedDevice('The doorbell camera.'),
    ...NEW_SHARE_PROPERTIES,
    ...NO_SIGN_IN,
  }),
  response: CREATED_SHARE_PROPERTIES,
  example: {
    request: { doorbellCameraUuid: EXAMPLE_DOORBELL_UUID, streamType: 'USER', vodEnabled: false },
    response: EXAMPLE_CREATED_SHARE,
  },
  async handler(context, { doorbellCameraUuid, ...fields }) {
    return createShare(
      context,
      await context.services.devices.findDoorbellCamera(context.orgUuid, doorbellCameraUuid),
      fields,
    );
  },
});

const { name, password, expirationTimeSecs, scheduleUuid, invertSchedule } = NEW_SHARE_PROPERTIES;
const { ssoProtected, cdn, talk } = CAMERA_SHARE_PROPERTIES;
const { vodEnabled } = NEW_CAMERA_SHARE_PROPERTIES;
const SHARE_CHANGES = changes({
  name,
  password,
  expirationTimeSecs,
  scheduleUuid,
  invertSchedule,
  ssoProtected,
  cdn,
  talk,
  vodEnabled,
  ...VIEW_PROPERTIES,
});

/** Specific to Sluice, with the convention of the specification for changes (docs/spec/conventions.md#changes-by-flags). */
const updateSharedLiveVideoStream = defineEndpoint({
  path: '/api/camera/updateSharedLiveVideoStream',
  summary: 'Changes a shared live stream.',
  description:
    'A value counts if its `…Updated` flag is true. A flag without a value clears the setting: no password, no ' +
    'expiration, no schedule, no `talk`, the name `Unnamed`, `cdn` as the configuration says, masks that apply, no past, a past from the creation on and as long as the share plays. Links stay the same. A changed password, or another `ssoProtected`, ends all current views.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({ uuid: ruuid('The share.'), ...SHARE_CHANGES.properties }),
  response: { sharedLiveVideoStream: SHARED_STREAM_SCHEMA },
  example: {
    request: { uuid: EXAMPLE_SHARE_UUID, name: 'Front desk', nameUpdated: true },
    response: { sharedLiveVideoStream: EXAMPLE_SHARED_STREAM },
  },
  async handler(context, body) {
    const { orgUuid, services } = context;
    const applied = SHARE_CHANGES.applied(body);
    expectMayUnmask(context, applied.showsUnmasked);
    const share = await services.shares.update(orgUuid, body.uuid, applied);
    warnOfIdleValues(context, body, share);
    return { sharedLiveVideoStream: sharedStreamResponse(share, services.shares.urls(share)) };
  },
});

const deleteSharedLiveVideoStream = defineEndpoint({
  path: '/api/camera/deleteSharedLiveVideoStream',
  summary: 'Deletes a shared live stream.',
  description: 'Its links stop working right away, and current viewers are cut off.',
  repetition: 'same-outcome',
  request: Type.Object({
    uuid: ruuid('The share.'),
    cameraUuid: Type.Optional(deviceFacetUuid('Its camera; a share of another camera is not deleted.')),
  }),
  response: {},
  example: { request: { cameraUuid: EXAMPLE_CAMERA_UUID, uuid: EXAMPLE_SHARE_UUID }, response: {} },
  async handler(context, { uuid, cameraUuid }) {
    const device =
      cameraUuid === undefined
        ? null
        : await context.services.devices.namedCamera(context.orgUuid, cameraUuid);
    await deleteShare(context, uuid, device);
    return {};
  },
});

const deleteDoorbellSharedLiveVideoStream = defineEndpoint({
  path: '/api/doorbellcamera/deleteSharedLiveVideoStream',
  summary: 'Deletes a shared live stream of a doorbell camera.',
  description: 'Its links stop working right away, and current viewers are cut off.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({
    uuid: ruuid('The share.'),
    doorbellCameraUuid: deviceFacetUuid('Its doorbell camera; a share of another camera is not deleted.'),
  }),
  response: {},
  example: { request: { doorbellCameraUuid: EXAMPLE_DOORBELL_UUID, uuid: EXAMPLE_SHARE_UUID }, response: {} },
  async handler(context, { uuid, doorbellCameraUuid }) {
    await deleteShare(
      context,
      uuid,
      await context.services.devices.findDoorbellCamera(context.orgUuid, doorbellCameraUuid),
    );
    return {};
  },
});

const getNearbyFeeds = defineEndpoint({
  path: '/api/rapidsos/getNearbyFeeds',
  summary: 'Finds the shared streams for emergency services nearest to a point.',
  description:
    'The ten nearest cameras with a share of stream type `RAPIDSOS` that plays now with nothing but its URL, the ' +
    'nearest first, by great-circle distance; for each camera, its newest such share. Shares that have expired, that ' +
    'a schedule hides now, or that have a password are left out. A camera’s position comes from its details, ' +
    'otherwise from its location. Cameras without coordinates are left out. Cameras that are open to dispatch in an emergency are ' +
    'listed with the links of that.',
  request: Type.Object({
    latitude: double('Degrees north.', -90, 90),
    longitude: double('Degrees east.', -180, 180),
    width: Type.Optional(
      int32(
        'Requested width of the video; accepted, but the streams keep the size that the cameras send.',
        0,
      ),
    ),
  }),
  response: { streamUrls: listOf(plainText('Playlist (HLS).'), 'The streams.') },
  example: {
    request: { latitude: 40.7, longitude: -74 },
    response: { streamUrls: [EXAMPLE_CREATED_SHARE.sharedLiveM3U8StreamUrl] },
  },
  async handler({ orgUuid, services }, { latitude, longitude }) {
    const opened = await services.emergency.emergencies.feeds(orgUuid);
    const feeds = await services.nearbyFeeds.near(orgUuid, { latitude, longitude }, opened);
    return { streamUrls: feeds.map((share) => services.shares.urls(share).m3u8Url) };
  },
});

export const SHARED_STREAM_ENDPOINTS: readonly Endpoint[] = [
  findSharedLiveVideoStreams,
  findDoorbellSharedLiveVideoStreams,
  findAllSharedLiveVideoStreams,
  createSharedLiveVideoStream,
  createProtectedSharedLiveVideoStream,
  createDoorbellSharedLiveVideoStream,
  updateSharedLiveVideoStream,
  deleteSharedLiveVideoStream,
  deleteDoorbellSharedLiveVideoStream,
  getNearbyFeeds,
];
