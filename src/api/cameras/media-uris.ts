/** Where the media of cameras, doorbell cameras, and audio gateways are. */

import { type Static, type TObject, Type } from 'typebox';
import { parseDeviceFacetUuid, type Ruuid } from '../../core/ruuid.ts';
import { type CallContext, defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import { deviceFacetUuid, listOf, nullable, plainText } from '../../http/fields/field-types.ts';
import { invalidField } from '../../http/request-body.ts';
import { type DeviceMediaUris, MediaUris } from '../../sharing/media-uris.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_DOORBELL_UUID } from '../types/examples.ts';

const MEDIA_URIS_DESCRIPTION =
  'The URIs need credentials: `x-auth-scheme` and `x-auth-apikey` or `x-auth-ft` in headers, an OAuth access token in ' +
  'headers, `x-auth-scheme=federated-token&x-auth-ft=…` in the query, or `RSESSIONID=RFT:<token>` as a cookie. What they ' +
  'return needs them no more: its URIs contain a grant of their own. `wan…` URIs begin with `public.mediaUrl`, `lan…` URIs ' +
  'with the addresses in `public.lanMediaUrls`. Only what works is offered: absent fields and empty lists are not available.';

const wan = (what: string) => nullable(plainText(what));
const lan = (what: string) =>
  listOf(plainText(`The same as \`${what}\` at an address in the network.`), 'In order of preference.');

const MEDIA_URIS_PROPERTIES = {
  wanLiveM3u8Uri: wan('Live video and audio, as an HLS playlist.'),
  wanLiveMpdUri: wan('Live video and audio, as a DASH manifest.'),
  wanLiveH264Uri: wan('Live video in real time, over WebSocket.'),
  wanLiveOpusUri: wan('Live audio in real time, over WebSocket.'),
  wanVodM3u8UriTemplate: wan('Past video, as an HLS playlist; with {START_TIME} and {DURATION}.'),
  wanVodMpdUriTemplate: wan('Past video, as a DASH manifest; with {START_TIME} and {DURATION}.'),
  wanVodH264UriTemplate: wan('Past video over WebSocket; with {START_TIME} and {DURATION}.'),
  lanLiveM3u8Uris: lan('wanLiveM3u8Uri'),
  lanLiveMpdUris: lan('wanLiveMpdUri'),
  lanLiveH264Uris: lan('wanLiveH264Uri'),
  lanLiveOpusUris: lan('wanLiveOpusUri'),
  lanVodM3u8UrisTemplates: lan('wanVodM3u8UriTemplate'),
  lanVodMpdUrisTemplates: lan('wanVodMpdUriTemplate'),
  lanCheckUrls: listOf(
    plainText('Returns 200 to callers that can reach the address.'),
    'One for each address.',
  ),
};

/** Clients name the device in a field of its kind, or in `deviceUuid`, which each of these calls accepts. */
function deviceNames<const Field extends string>(field: Field, description: string) {
  const ofKind = Type.Optional(deviceFacetUuid(`${description} Required without \`deviceUuid\`.`));
  const deviceUuid = Type.Optional(deviceFacetUuid(`Another name for \`${field}\`.`));
  return { [field]: ofKind, deviceUuid } as Record<Field | 'deviceUuid', typeof ofKind>;
}

/** The device that the request names, perhaps with a facet. Fails INVALID_FIELD if it names none, or two. */
function namedDevice(field: string, ofKind?: string, deviceUuid?: string): string {
  const given = ofKind ?? deviceUuid;
  if (given === undefined) throw invalidField(`${field} is required.`);
  const isOther = deviceUuid !== undefined && uuidOf(deviceUuid) !== uuidOf(given);
  if (isOther) throw invalidField(`deviceUuid must name the same device as ${field}, or be absent.`);
  return given;
}

function uuidOf(device: string): Ruuid | undefined {
  return parseDeviceFacetUuid(device)?.uuid;
}

type MediaUrisResponse = Static<TObject<typeof MEDIA_URIS_PROPERTIES>>;

/** The device must be the organization's. */
function mediaUrisOf(context: CallContext, deviceUuid: Ruuid): MediaUrisResponse {
  return mediaUrisResponse(context.services.mediaUris.of(deviceUuid));
}

function mediaUrisResponse({ wan: at, lan: near, lanCheckUrls }: DeviceMediaUris): MediaUrisResponse {
  return {
    wanLiveM3u8Uri: at.liveM3u8,
    wanLiveMpdUri: at.liveMpd,
    wanLiveH264Uri: at.liveH264,
    wanLiveOpusUri: at.liveOpus,
    wanVodM3u8UriTemplate: at.vodM3u8,
    wanVodMpdUriTemplate: at.vodMpd,
    wanVodH264UriTemplate: at.vodH264,
    lanLiveM3u8Uris: near.liveM3u8,
    lanLiveMpdUris: near.liveMpd,
    lanLiveH264Uris: near.liveH264,
    lanLiveOpusUris: near.liveOpus,
    lanVodM3u8UrisTemplates: near.vodM3u8,
    lanVodMpdUrisTemplates: near.vodMpd,
    lanCheckUrls,
  };
}

const EXAMPLE_ADDRESSES = {
  mediaUrl: 'https://video.example.com',
  lanMediaUrls: ['http://192.0.2.5:8081'],
};

const EXAMPLE_MEDIA_URIS = mediaUrisResponse(new MediaUris(EXAMPLE_ADDRESSES).of(EXAMPLE_CAMERA_UUID));

const OF_CAMERA = {
  request: Type.Object(deviceNames('cameraUuid', 'The camera.')),
  response: MEDIA_URIS_PROPERTIES,
  example: { request: { cameraUuid: EXAMPLE_CAMERA_UUID }, response: EXAMPLE_MEDIA_URIS },
  async handler(context: CallContext, body: { readonly cameraUuid?: string; readonly deviceUuid?: string }) {
    const device = namedDevice('cameraUuid', body.cameraUuid, body.deviceUuid);
    const { camera } = await context.services.devices.findCamera(context.orgUuid, device);
    return mediaUrisOf(context, camera.uuid);
  },
};

const getCameraMediaUris = defineEndpoint({
  path: '/api/camera/getMediaUris',
  summary: "Returns the URIs of a camera's media.",
  description: MEDIA_URIS_DESCRIPTION,
  ...OF_CAMERA,
});

const getCameraMediaUrisOfNewerClients = defineEndpoint({
  path: '/api/camera/getCameraMediaUris',
  summary: "Returns the URIs of a camera's media.",
  description: 'Like `/api/camera/getMediaUris`.',
  ...OF_CAMERA,
});

const getDoorbellMediaUris = defineEndpoint({
  path: '/api/doorbellcamera/getMediaUris',
  summary: "Returns the URIs of a doorbell camera's media.",
  description: 'Like `/api/camera/getMediaUris`.',
  request: Type.Object({ deviceUuid: deviceFacetUuid('The doorbell camera.') }),
  response: MEDIA_URIS_PROPERTIES,
  example: { request: { deviceUuid: EXAMPLE_DOORBELL_UUID }, response: EXAMPLE_MEDIA_URIS },
  async handler(context, { deviceUuid }) {
    const { camera } = await context.services.devices.findDoorbellCamera(context.orgUuid, deviceUuid);
    return mediaUrisOf(context, camera.uuid);
  },
});

const getAudioGatewayMediaUris = defineEndpoint({
  path: '/api/audiogateway/getMediaUris',
  summary: "Returns the URIs of a device's audio.",
  description:
    'Like `/api/camera/getMediaUris`. Audio comes from cameras, so `gatewayUuid` is a camera, perhaps with a facet such ' +
    'as `.a0`, and its media contain its video too.',
  request: Type.Object(deviceNames('gatewayUuid', 'The camera whose audio is wanted.')),
  response: MEDIA_URIS_PROPERTIES,
  example: { request: { gatewayUuid: EXAMPLE_CAMERA_UUID }, response: EXAMPLE_MEDIA_URIS },
  async handler(context, { gatewayUuid, deviceUuid }) {
    const device = namedDevice('gatewayUuid', gatewayUuid, deviceUuid);
    const { camera } = await context.services.devices.findCamera(context.orgUuid, device);
    return mediaUrisOf(context, camera.uuid);
  },
});

export const MEDIA_URI_ENDPOINTS: readonly Endpoint[] = [
  getCameraMediaUris,
  getCameraMediaUrisOfNewerClients,
  getDoorbellMediaUris,
  getAudioGatewayMediaUris,
];
