/** The calls that find, try, add and change cameras. */

import { type Answer, call, type Request } from './api.ts';

/** How a camera is opened; absent: as it was. */
export type SourceFields = Omit<
  Request<'camera/updateCameraSource'>,
  'cameraUuid' | 'name' | 'locationUuid' | 'engine' | 'clock'
>;

/** How a new camera is opened; absent: the default. */
export type NewSource = SourceFields & Pick<Request<'camera/createCamera'>, 'mainUrl'>;

export type ProbedStream = ProbeReport['main'];

export type ProbeReport = Answer<'camera/probeCamera'>;

/** Fails with a CallError. `cameraUuid`: a stored camera; its source fills in the fields that `source` lacks. */
export function probeCamera(
  source: Request<'camera/probeCamera'>,
  signal: AbortSignal,
): Promise<ProbeReport> {
  return call('camera/probeCamera', source, signal);
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
  source: NewSource,
  where: CameraPlace,
  once: string,
  signal?: AbortSignal,
): Promise<string> {
  const body = { ...source, ...placeFields(where) };
  return (await call('camera/createCamera', body, signal, once)).cameraUuid;
}

export type PushedCamera = Answer<'relay/addThirdPartyCameraViaRtmp'>;

/** Fails with a CallError. */
export function createPushedCamera(where: CameraPlace, once: string): Promise<PushedCamera> {
  return call('relay/addThirdPartyCameraViaRtmp', placeFields(where), undefined, once);
}

function placeFields({ name, locationUuid, nvrUuid }: CameraPlace) {
  return {
    name: name.trim(),
    ...(locationUuid === '' ? {} : { locationUuid }),
    ...(nvrUuid === '' ? {} : { nvrUuid }),
  };
}

export type KnownSource = Answer<'camera/getCameraSource'>;

export function readSource(cameraUuid: string, signal: AbortSignal): Promise<KnownSource> {
  return call('camera/getCameraSource', { cameraUuid }, signal);
}

/** Fails with a CallError. */
export async function updateSource(cameraUuid: string, changes: SourceFields): Promise<void> {
  await call('camera/updateCameraSource', { cameraUuid, ...changes });
}

/** Its shares end with it. Fails with a CallError. */
export async function removeCamera(cameraUuid: string): Promise<void> {
  await call('camera/delete', { cameraUuid });
}

export type FoundCamera = Answer<'camera/scanOnvifCameras'>['cameras'][number];

export async function scanNetwork(signal: AbortSignal): Promise<readonly FoundCamera[]> {
  return (await call('camera/scanOnvifCameras', {}, signal)).cameras;
}

export type OnvifProfile = OnvifResponse['profiles'][number];

export type OnvifResponse = Answer<'camera/inspectOnvifCamera'>;

export interface Login {
  readonly username: string;
  readonly password: string;
}

/** Fails with a CallError; the answer contains the camera's own response. */
export function inspectOnvif(
  { address, https }: Pick<FoundCamera, 'address' | 'https'>,
  login: Login,
  signal: AbortSignal,
): Promise<OnvifResponse> {
  const body = { ipAddress: address, ...(https ? { tls: 'any' } : {}), ...loginFields(login) };
  return call('camera/inspectOnvifCamera', body, signal);
}

/** Leaves out the login if both fields are empty. */
export function loginFields({ username, password }: Login): Partial<Login> {
  return username === '' && password === '' ? {} : { username, password };
}

export type UrlTemplate = Answer<'camera/getCameraUrlTemplates'>['templates'][number];

/** Locations and NVRs to which a camera can be assigned, by name, and templates of its URL. */
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
    call('location/getLocationsV2', {}, signal),
    call('relay/getMinimalNVRStateList', {}, signal),
    call('camera/getCameraUrlTemplates', {}, signal),
  ]);
  return { locations, nvrs: nvrstates, templates };
}

/** Cameras by the NVR that they are behind, and the NVRs. */
export interface NvrCameras {
  readonly nvrs: readonly (Named &
    Pick<Answer<'relay/getMinimalNVRStateList'>['nvrstates'][number], 'locationUuid'>)[];
  readonly nvrOf: ReadonlyMap<string, string>;
}

export async function readNvrCameras(signal: AbortSignal): Promise<NvrCameras> {
  const { nvrstates } = await call('relay/getMinimalNVRStateList', {}, signal);
  if (nvrstates.length === 0) return { nvrs: [], nvrOf: new Map() };
  const { thirdPartyCameraStateList: cameras } = await call(
    'relay/getMinimalThirdPartyCameraStateList',
    {},
    signal,
  );
  return {
    nvrs: nvrstates,
    nvrOf: new Map(cameras.map(({ uuid, assignedNVRUuid }) => [uuid, assignedNVRUuid ?? ''])),
  };
}
