/** The calls that find, try, add and change cameras. Null: the API's answer left the field out. */

import { call } from './api.ts';

/** How a camera is opened, as `camera/createCamera` takes it; absent: the default, or as it was. */
export interface SourceFields {
  readonly mainUrl?: string;
  readonly substreamUrl?: string;
  readonly onvifUrl?: string;
  readonly username?: string;
  readonly password?: string;
  readonly transport?: string;
  readonly audio?: string;
  readonly tls?: string;
}

export interface ProbedStream {
  readonly works: boolean;
  readonly errorCode?: string | null;
  readonly errorReason?: string | null;
  readonly errorSentence?: string | null;
  readonly errorAdvice?: string | null;
  readonly videoCodec?: string | null;
  readonly width?: number | null;
  readonly height?: number | null;
  readonly frameRate?: number | null;
  readonly bitsPerSec?: number | null;
  readonly keyFrameDistanceSec?: number | null;
  readonly audioCodec?: string | null;
  readonly transport?: string | null;
  readonly firstKeyFrameMs?: number | null;
  readonly needsWorker: boolean;
}

export interface ProbeReport {
  readonly main: ProbedStream;
  readonly sub?: ProbedStream | null;
  readonly advice: readonly {
    readonly code: string;
    readonly profile: 'main' | 'sub';
    readonly sentence: string;
  }[];
  readonly snapshot?: { readonly imageData: string; readonly width: number; readonly height: number } | null;
}

/** Fails with a CallError. `cameraUuid`: one that is stored; its source counts where `source` says nothing. */
export function probeCamera(
  source: SourceFields & { readonly cameraUuid?: string; readonly withSnapshot?: boolean },
  signal: AbortSignal,
): Promise<ProbeReport> {
  return call<ProbeReport>('camera/probeCamera', source, signal);
}

/** Where a camera is. Empty: nowhere, or the NVR's site. */
export interface CameraPlace {
  readonly name: string;
  readonly locationUuid: string;
  readonly nvrUuid: string;
}

export const NO_PLACE: CameraPlace = { name: '', locationUuid: '', nvrUuid: '' };

/** Resolves with its UUID. `once`: as for `call`. Fails with a CallError. */
export async function createCamera(
  source: SourceFields,
  where: CameraPlace,
  once: string,
  signal?: AbortSignal,
): Promise<string> {
  const body = { ...source, ...placeFields(where) };
  return (await call<{ cameraUuid: string }>('camera/createCamera', body, signal, once)).cameraUuid;
}

export interface PushedCamera {
  readonly deviceUuid: string;
  readonly publishKey: string;
}

/** Fails with a CallError. */
export function createPushedCamera(where: CameraPlace, once: string): Promise<PushedCamera> {
  return call<PushedCamera>('relay/addThirdPartyCameraViaRtmp', placeFields(where), undefined, once);
}

function placeFields({ name, locationUuid, nvrUuid }: CameraPlace) {
  return {
    name: name.trim(),
    ...(locationUuid === '' ? {} : { locationUuid }),
    ...(nvrUuid === '' ? {} : { nvrUuid }),
  };
}

export interface KnownSource {
  readonly name: string;
  readonly locationUuid?: string | null;
  readonly nvrUuid?: string | null;
  readonly declared: boolean;
  readonly pushed: boolean;
  readonly source: {
    readonly mainUrl?: string | null;
    readonly substreamUrl?: string | null;
    readonly onvifUrl?: string | null;
    readonly username?: string | null;
    readonly hasPassword: boolean;
    readonly transport: string;
    readonly audio: string;
    readonly tls: string;
  };
}

export function readSource(cameraUuid: string, signal: AbortSignal): Promise<KnownSource> {
  return call<KnownSource>('camera/getCameraSource', { cameraUuid }, signal);
}

/** Fails with a CallError. */
export async function updateSource(
  cameraUuid: string,
  changes: SourceFields & { readonly name?: string },
): Promise<void> {
  await call('camera/updateCameraSource', { cameraUuid, ...changes });
}

/** `locationUuid` empty: it is at no site, or at that of its NVR. Fails with a CallError. */
export async function moveCamera(cameraUuid: string, locationUuid: string): Promise<void> {
  await call('camera/updateDetailsV2', {
    ...{ uuid: cameraUuid, locationUuidUpdated: true },
    ...(locationUuid === '' ? {} : { locationUuid }),
  });
}

/** Its shares end with it. Fails with a CallError. */
export async function removeCamera(cameraUuid: string): Promise<void> {
  await call('camera/delete', { cameraUuid });
}

export interface FoundCamera {
  readonly address: string;
  readonly https: boolean;
  /** Anyone on the network can say that they are called so. */
  readonly name?: string | null;
  readonly hardware?: string | null;
  readonly known: boolean;
}

export async function scanNetwork(signal: AbortSignal): Promise<readonly FoundCamera[]> {
  return (await call<{ cameras: readonly FoundCamera[] }>('camera/scanOnvifCameras', {}, signal)).cameras;
}

export interface OnvifProfile {
  readonly profileToken: string;
  readonly codec?: string | null;
  readonly width?: number | null;
  readonly height?: number | null;
  readonly mainUrl: string;
  readonly substreamUrl?: string | null;
}

export interface OnvifAnswer {
  readonly found: boolean;
  readonly loginRefused: boolean;
  readonly failureCode?: string | null;
  readonly failureSentence?: string | null;
  readonly onvifUrl?: string | null;
  readonly manufacturer?: string | null;
  readonly model?: string | null;
  readonly profiles: readonly OnvifProfile[];
}

export interface Login {
  readonly username: string;
  readonly password: string;
}

/** Fails with a CallError; what the camera says to it is in the answer. */
export function inspectOnvif(
  { address, https }: Pick<FoundCamera, 'address' | 'https'>,
  login: Login,
  signal: AbortSignal,
): Promise<OnvifAnswer> {
  const body = { ipAddress: address, ...(https ? { tls: 'any' } : {}), ...loginFields(login) };
  return call<OnvifAnswer>('camera/inspectOnvifCamera', body, signal);
}

/** Without a user name and a password, there is no login. */
export function loginFields({ username, password }: Login): Partial<Login> {
  return username === '' && password === '' ? {} : { username, password };
}

export interface UrlTemplate {
  readonly vendor: string;
  readonly name: string;
  readonly scheme: 'rtsp' | 'rtsps';
  readonly port: number;
  readonly mainPath: string;
  readonly substreamPath?: string | null;
  readonly note?: string | null;
}

/** What a camera can be assigned to, by name. */
export interface Choices {
  readonly locations: readonly Named[];
  readonly nvrs: readonly Named[];
  readonly templates: readonly UrlTemplate[];
}

export interface Named {
  readonly uuid: string;
  readonly name: string;
}

export async function readChoices(signal: AbortSignal): Promise<Choices> {
  const [{ locations }, { nvrstates }, { templates }] = await Promise.all([
    call<{ locations: readonly Named[] }>('location/getLocationsV2', {}, signal),
    call<{ nvrstates: readonly Named[] }>('relay/getMinimalNVRStateList', {}, signal),
    call<{ templates: readonly UrlTemplate[] }>('camera/getCameraUrlTemplates', {}, signal),
  ]);
  return { locations, nvrs: nvrstates, templates };
}

/** Cameras by the NVR that they are behind, and the NVRs. */
export interface NvrCameras {
  readonly nvrs: readonly Named[];
  readonly nvrOf: ReadonlyMap<string, string>;
}

export async function readNvrCameras(signal: AbortSignal): Promise<NvrCameras> {
  const { nvrstates } = await call<{ nvrstates: readonly Named[] }>(
    'relay/getMinimalNVRStateList',
    {},
    signal,
  );
  if (nvrstates.length === 0) return { nvrs: [], nvrOf: new Map() };
  const { thirdPartyCameraStateList: cameras } = await call<{
    thirdPartyCameraStateList: readonly { readonly uuid: string; readonly assignedNVRUuid?: string | null }[];
  }>('relay/getMinimalThirdPartyCameraStateList', {}, signal);
  return {
    nvrs: nvrstates,
    nvrOf: new Map(cameras.map(({ uuid, assignedNVRUuid }) => [uuid, assignedNVRUuid ?? ''])),
  };
}
