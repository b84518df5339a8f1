/**
 * What an integrator writes against the client that swagger-typescript-api generates from the OpenAPI document. The
 * end-to-end test puts the client next to this file and compiles both.
 */

import { Api, type AuthenticationFailure, type HttpResponse } from './client.ts';

export interface ScenarioOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** A listening camera. */
  readonly rtspUrl: string;
}

/** What was seen on the way. */
export interface ScenarioOutcome {
  readonly cameraUuid: string;
  readonly m3u8Url: string;
  readonly statusWhileShared: number;
  readonly statusOnceRevoked: number;
  /** Names of the shares: when created, when updated, when revoked. */
  readonly listed: readonly string[][];
  readonly refusal: string | undefined;
  readonly failureWithoutKey: AuthenticationFailure;
}

type Client = Api<string>['api'];

interface Envelope {
  error: boolean;
  errorMsg?: string;
}

export async function runScenario(options: ScenarioOptions): Promise<ScenarioOutcome> {
  const client = clientWith(options.baseUrl, options.apiKey);
  const cameraUuid = await register(client, options.rtspUrl);
  const schedule = { name: 'Always', intervalList: [{ minuteOfWeekStart: 0, minuteOfWeekStop: 10_080 }] };
  const { scheduleUuid } = success(await client.createWeeklySchedule({ schedule }));
  const share = success(
    await client.createCameraSharedLiveVideoStream({
      cameraUuid,
      name: 'Dock',
      scheduleUuid: given(scheduleUuid),
    }),
  );
  const uuid = given(share.sharedLiveVideoStreamUuid);
  const m3u8Url = given(share.sharedLiveM3U8StreamUrl);
  const listed = [await shareNames(client, cameraUuid)];
  const statusWhileShared = (await fetch(m3u8Url)).status;
  success(await client.updateSharedLiveVideoStream({ uuid, name: 'Gate', nameUpdated: true }));
  listed.push(await shareNames(client, cameraUuid));
  success(await client.deleteSharedLiveVideoStream({ cameraUuid, uuid }));
  listed.push(await shareNames(client, cameraUuid));
  return {
    cameraUuid,
    m3u8Url,
    statusWhileShared,
    listed,
    statusOnceRevoked: (await fetch(m3u8Url)).status,
    refusal: await refusalOfUnknownType(client, cameraUuid),
    failureWithoutKey: await failureOf(clientWith(options.baseUrl, 'unknown')),
  };
}

function clientWith(baseUrl: string, apiKey: string): Client {
  const client = new Api<string>({
    baseUrl,
    securityWorker: (key) => ({ headers: { 'x-auth-apikey': key ?? '', 'x-auth-scheme': 'api-token' } }),
  });
  client.setSecurityData(apiKey);
  return client.api;
}

/** Announces an NVR, discovers the camera and assigns it. */
async function register(client: Client, rtspUrl: string): Promise<string> {
  success(await client.createPendingRegistration({ serialNumber: 'NVR-1' }));
  const { hardwareList } = success(await client.findAllHardwareWithPendingRegistration());
  const nvruuid = given(given(hardwareList)[0]?.uuid);
  const { rtspUrlStatus } = success(await client.manualDiscoverCamera({ rtspUrl }));
  if (rtspUrlStatus !== 'GOOD') throw new Error(`the camera is ${rtspUrlStatus}`);
  const assigned = success(await client.assignThirdPartyCameraToNvr({ nvruuid, rtspUrl, name: 'Dock' }));
  return given(assigned.deviceUuid);
}

async function shareNames(client: Client, cameraUuid: string): Promise<string[]> {
  const { sharedLiveVideoStreams } = success(await client.findCameraSharedLiveVideoStreams({ cameraUuid }));
  return given(sharedLiveVideoStreams).map(({ name }) => given(name));
}

async function refusalOfUnknownType(client: Client, cameraUuid: string): Promise<string | undefined> {
  const { data } = await client.createCameraSharedLiveVideoStream({
    cameraUuid,
    vodEnabled: false,
    // @ts-expect-error: the types know the words that the gateway takes.
    streamType: 'NOBODY',
  });
  return data.errorMsg;
}

/** The client throws responses other than 2xx. */
async function failureOf(client: Client): Promise<AuthenticationFailure> {
  try {
    await client.getLocations();
  } catch (thrown) {
    return (thrown as HttpResponse<never, AuthenticationFailure>).error;
  }
  throw new Error('an unknown key was let in');
}

function success<Answer extends Envelope>({ data }: { readonly data: Answer }): Answer {
  if (data.error) throw new Error(data.errorMsg ?? 'refused without a reason');
  return data;
}

function given<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('the answer lacks a field');
  return value;
}
