/** A gateway that has something of everything that the console shows. Who needs other names passes what makes them. */

import { resolve } from 'node:path';
import sharp from 'sharp';
import { newRuuid } from '../../src/core/ruuid.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { API_KEY, type Json, TestGateway } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;
const DAY_MINUTES = 24 * HOUR_MINUTES;
const WEBHOOK_URL = 'https://hooks.harbor.example/alerts';
const SHIFTED_CLOCK = resolve(import.meta.dirname, '../support/shifted-clock.ts');
/** Nothing answers there, at once. */
const NOWHERE = 'rtsp://127.0.0.1:1/none';

/** Where each is. The first four stream and are recorded; the last two do not answer. */
const CAMERAS = [
  ['Dock 1', 'Harbor'],
  ['Dock 2', 'Harbor'],
  ['Gate north', 'Harbor'],
  ['Yard', 'Harbor'],
  ['Loading bay', 'Warehouse'],
  ['Entrance hall', 'Office'],
] as const;
const STREAMING = 4;
const LOCATIONS = [
  ['Harbor', 'Europe/Berlin'],
  ['Warehouse', 'Europe/Berlin'],
  ['Office', 'Europe/London'],
] as const;

const FLOOR_PLAN = `<svg xmlns="http://www.w3.org/2000/svg" width="1600" height="900">
  <rect width="1600" height="900" fill="#fff"/><path fill="none" stroke="#333" stroke-width="14"
  d="M60 60h1480v780H60zM600 60v300M600 500v340M600 360h400M1150 360h390M1150 60v300"/></svg>`;
const PLAN_PLACES = [
  { x: 0.06, y: 0.1, directionDeg: 130, angleDeg: 80, reach: 0.22 },
  { x: 0.42, y: 0.9, directionDeg: 30, angleDeg: 70, reach: 0.24 },
  { x: 0.94, y: 0.1, directionDeg: 230, angleDeg: 70, reach: 0.18 },
] as const;

/** `webhookUrl`: where someone is to be notified. */
export type NameOf = (plain: string) => string;

export interface OrganizationOptions {
  readonly config?: Json;
  /** Where the gateway's clock is when it starts, and all cameras are recorded; null: the machine's clock, and none is. */
  readonly startEpochMs?: number | null;
}

export interface ConsoleOrganization {
  readonly gateway: TestGateway;
  /** What the parameters of the pages' addresses mean here. */
  readonly addressOf: (path: string) => string;
  /** A share of the first camera. */
  readonly shareUuid: string;
  /** What was stored under a name that `nameOf` made. */
  readonly names: readonly string[];
  /** By the gateway's clock. */
  readonly nowMs: () => number;
  close(): Promise<void>;
}

export async function startConsoleOrganization(
  nameOf: NameOf = (plain) => plain,
  { config = {}, startEpochMs = null }: OrganizationOptions = {},
): Promise<ConsoleOrganization> {
  const isOneClock = startEpochMs !== null;
  const aheadMs = startEpochMs === null ? 0 : startEpochMs - Date.now();
  const nowMs = (): number => Date.now() + aheadMs;
  const camera = await startCamera();
  const names = new Set<string>();
  const named = (plain: string): string => {
    const name = nameOf(plain);
    names.add(name);
    return name;
  };
  // Threads of the gateway take this from the environment, and not from its command line.
  const env = { NODE_OPTIONS: `--import ${SHIFTED_CLOCK}`, SHIFTED_CLOCK_MS: String(aheadMs) };
  const content = {
    locations: LOCATIONS.map(([name, tz]) => ({ name: named(name), tz })),
    nvrs: [{ name: named('Core'), location: named('Warehouse') }],
    cameras: CAMERAS.map(([name, location], index) => ({
      name: named(name),
      location: named(location),
      rtsp: index < STREAMING ? camera.url : NOWHERE,
      ...(isOneClock ? { recording: 'always' } : {}),
    })),
    ...(isOneClock ? { recording: { minFree: '16MiB' } } : {}),
    demo: false,
    ...config,
  };
  const gateway = await TestGateway.start(content, isOneClock ? { env } : {});
  try {
    const filled = await new Filling(gateway, named, nowMs, isOneClock).run();
    return { gateway, ...filled, nowMs, names: [...names], close: () => close(gateway, camera) };
  } catch (error) {
    await close(gateway, camera);
    throw error;
  }
}

async function close(gateway: TestGateway, camera: SyntheticCamera): Promise<void> {
  await gateway.dispose();
  await camera.close();
}

class Filling {
  readonly #gateway: TestGateway;
  readonly #named: NameOf;
  readonly #nowMs: () => number;
  readonly #isRecorded: boolean;
  #cameras: string[] = [];
  #locationUuid = '';

  constructor(gateway: TestGateway, named: NameOf, nowMs: () => number, isRecorded: boolean) {
    this.#isRecorded = isRecorded;
    this.#gateway = gateway;
    this.#named = named;
    this.#nowMs = nowMs;
  }

  async run(): Promise<Pick<ConsoleOrganization, 'addressOf' | 'shareUuid'>> {
    const named = this.#named;
    for (const [name] of CAMERAS) this.#cameras.push(await this.#gateway.cameraUuid(named(name)));
    const { locations } = await this.#call('location/getLocationsV2');
    this.#locationUuid = locations.find(({ name }: Json) => name === named('Harbor')).uuid;
    const scheduleUuid = await this.#schedules();
    const shareUuid = await this.#shares(scheduleUuid);
    const wallUuid = await this.#walls();
    const caseUuid = await this.#evidence();
    await this.#plan();
    await this.#doors();
    await this.#alerts();
    const emergencyUuid = await this.#emergencies();
    await this.#keys();
    for (const role of ['operator', 'viewer']) await this.#person(role);
    await this.#call('console/invitePerson', {
      name: named('Edith Clarke'),
      email: 'edith@harbor.example',
      role: 'viewer',
    });
    await until('the first cameras to be seen', async () => {
      const { cameraStates } = await this.#call('camera/getMinimalCameraStateList');
      const states = cameraStates.map(({ connectionDetail }: Json) => connectionDetail?.state);
      return !states.includes('connecting') && (!this.#isRecorded || !states.includes('idle'));
    });
    const values: Readonly<Record<string, string>> = {
      cameraUuid: this.#cameras[0]!,
      siteUuid: this.#locationUuid,
      scheduleUuid,
      caseUuid,
      uuid: wallUuid,
      wallUuid,
      shareUuid,
      emergencyUuid,
    };
    return { shareUuid, addressOf: (path) => withValues(path === 'watch' ? WATCHED : path, values) };
  }

  async #call(path: string, body: Json = {}, key = API_KEY): Promise<Json> {
    const response = await this.#gateway.call(path, body, key);
    const { rejected = [] } = response;
    if (response.error || rejected.length > 0) throw new Error(`${path}: ${JSON.stringify(response)}`);
    return response;
  }

  /** One that has ended: pages without the bar of an open one are what people mostly see. */
  async #emergencies(): Promise<string> {
    const { partner } = await this.#call('emergency/setEmergencyPartner', {
      name: this.#named('County dispatch'),
      partnerType: 'RAPIDSOS',
      mailAddresses: ['dispatch@county.example'],
    });
    const { emergencyPartnerUuid } = partner;
    const rule = { name: this.#named('Panic buttons'), triggers: ['PANIC_BUTTON'], minutes: 30 };
    await this.#call('emergency/setEmergencyRule', { ...rule, emergencyPartnerUuid });
    const { emergency } = await this.#call('emergency/openEmergency', {
      emergencyPartnerUuid,
      cameraUuids: this.#cameras.slice(0, 2),
      reason: this.#named('Fire at the dock'),
      minutes: 30,
    });
    const { emergencyUuid } = emergency;
    await this.#call('emergency/endEmergency', { emergencyUuid });
    return emergencyUuid;
  }

  /** With three cameras of the harbor. */
  async #plan(): Promise<void> {
    const locationUuid = this.#locationUuid;
    const image = await sharp(Buffer.from(FLOOR_PLAN)).jpeg().toBuffer();
    await this.#call('location/setFloorPlan', { locationUuid, imageData: image.toString('base64') });
    for (const [index, place] of PLAN_PLACES.entries()) {
      const cameraUuid = this.#cameras[index]!;
      await this.#call('location/placeCameraOnPlan', { locationUuid, cameraUuid, ...place });
    }
  }

  /** The UUID of the first one. */
  async #schedules(): Promise<string> {
    const week = (fromHour: number, toHour: number, days: number) =>
      Array.from({ length: days }, (_, day) => ({
        minuteOfWeekStart: day * DAY_MINUTES + fromHour * HOUR_MINUTES,
        minuteOfWeekStop: day * DAY_MINUTES + toHour * HOUR_MINUTES,
      }));
    const create = (name: string, intervalList: readonly object[]) =>
      this.#call('schedule/createWeeklySchedule', { schedule: { name: this.#named(name), intervalList } });
    const { scheduleUuid } = await create('Office hours', week(8, 18, 5));
    await create('Early shift', week(5, 13, 6));
    return scheduleUuid;
  }

  async #shares(scheduleUuid: string): Promise<string> {
    const share = (camera: number, name: string, fields: Json = {}) =>
      this.#call(`camera/create${fields.password === undefined ? '' : 'Protected'}SharedLiveVideoStream`, {
        cameraUuid: this.#cameras[camera],
        name: this.#named(name),
        streamType: 'USER',
        vodEnabled: false,
        ...fields,
      });
    const first = await share(0, 'Harbor master');
    await share(0, 'Customs', { password: 'correct horse battery', expirationTimeSecs: 86_400 });
    await share(1, 'Carrier', { scheduleUuid, expirationTimeSecs: 7 * 86_400 });
    await share(2, 'Neighbors', { scheduleUuid, invertSchedule: true });
    await share(4, 'Insurance', { password: 'correct horse battery' });
    return first.sharedLiveVideoStreamUuid;
  }

  async #walls(): Promise<string> {
    const create = (name: string, count: number, columns: number) =>
      this.#call('camera/createVideoWall', {
        videoWall: {
          displayName: this.#named(name),
          settings: { columns },
          deviceList: this.#cameras.slice(0, count),
        },
      });
    const { uuid: videoWallUuid } = await create('Control room', 6, 3);
    await create('Reception', 2, 2);
    await this.#call('camera/createSharedVideoWall', { videoWallUuid });
    return videoWallUuid;
  }

  /** The UUID of the case. */
  async #evidence(): Promise<string> {
    const { case: opened } = await this.#call('evidence/createCase', {
      title: this.#named('Theft at the dock'),
      number: '2026/17',
      notes: this.#named('The pallet was there at 9:00.'),
    });
    const toMs = Math.floor(this.#nowMs() / MINUTE_MS) * MINUTE_MS;
    for (const camera of [0, 1]) {
      await this.#call('evidence/addToCase', {
        caseUuid: opened.uuid,
        cameraUuid: this.#cameras[camera]!,
        fromMs: toMs - 10 * MINUTE_MS,
        toMs,
        note: this.#named(camera === 0 ? 'A van arrives.' : 'It leaves.'),
      });
    }
    await this.#call('evidence/createHold', {
      cameraUuid: this.#cameras[2]!,
      fromMs: toMs - 30 * MINUTE_MS,
      toMs,
      reason: this.#named('Request of the insurer'),
    });
    return opened.uuid;
  }

  async #doors(): Promise<void> {
    const common = { ownerDeviceUuid: newRuuid(), locationUuid: this.#locationUuid };
    // The list is in the order of the UUIDs.
    const uuids = Array.from({ length: 3 }, newRuuid).toSorted();
    const doors = ['Main gate', 'Server room', 'Store'].map((name, index) => ({
      uuid: uuids[index]!,
      name: this.#named(name),
      ...common,
      defaultState: name === 'Main gate' ? 'UNLOCKED' : 'ACCESS_CONTROLLED',
    }));
    await this.#report('doors', doors);
    await this.#report(
      'componentEvents',
      doors.map(({ uuid: accessControlledDoorUuid }, index) => ({
        uuid: newRuuid(),
        accessControlledDoorUuid,
        timestampMs: this.#nowMs() - index * 20 * MINUTE_MS,
        type: index === 0 ? 'DoorStateChangeEvent' : 'CredentialReceivedEvent',
      })),
    );
    await this.#report('elevatorLandings', [
      { uuid: newRuuid(), name: this.#named('Third floor'), floorNumber: 3, ...common },
    ]);
    const { locationUuid } = common;
    await this.#report('accessRevocations', [
      { uuid: newRuuid(), name: this.#named('Contractors'), locationUuid, groupUuids: [newRuuid()] },
    ]);
    await this.#call('accesscontrol/lockdownPlan/createLockdownRuleForLocation', {
      rule: {
        locationUuid,
        ruleName: this.#named('Lock the gate'),
        action: {
          alertAction: true,
          changeComponentCompositeAccessStateActions: [
            { componentCompositeUuid: doors[0]!.uuid, accessState: 'ACCESS_CONTROLLED' },
          ],
        },
      },
    });
  }

  async #alerts(): Promise<void> {
    const alerts = (
      [
        ['Someone at the gate', 2, 'MOTION_HUMAN'],
        ['A car in the yard', 3, 'MOTION_CAR'],
        ['Movement at the dock', 0, 'MOTION'],
      ] as const
    ).map(([text, camera, trigger], index) => ({
      uuid: newRuuid(),
      deviceUuid: this.#cameras[camera],
      textDescription: this.#named(text),
      timestampMs: this.#nowMs() - (index + 1) * 35 * MINUTE_MS,
      policyAlertTriggers: [trigger],
    }));
    await this.#report('policyAlerts', alerts);
    await this.#call('event/savePolicyAlertV2', {
      alertUuid: alerts[1]!.uuid,
      savedClipTitle: this.#named('Delivery'),
      savedClipDescription: this.#named('The usual van'),
    });
    await this.#report('deviceHealth', [
      {
        id: newRuuid(),
        deviceUuid: this.#cameras[1],
        symptom: 'SLOW_INTERNET',
        timestampMs: this.#nowMs() - 10 * MINUTE_MS,
      },
    ]);
  }

  async #keys(): Promise<void> {
    const create = (name: string, fields: Json) =>
      this.#call('integrations/org/submitApiTokenApplication', { displayName: this.#named(name), ...fields });
    await create('Reports', { role: 'viewer' });
    await create('Building control', { reportsOnly: true });
    await this.#call('oauth/submitApplication', {
      name: this.#named('Visitor desk'),
      description: this.#named('Signs visitors in'),
      redirectUri: 'https://desk.harbor.example/back',
    });
    await this.#call('integrations/webhooks/updateWebhookIntegrationV2', {
      webhookUrl: `${WEBHOOK_URL}?for=${encodeURIComponent(this.#named('alerts'))}`,
      isDiagnostic: false,
      disabled: false,
    });
    await this.#call('console/setAlarmReceiver', {
      name: this.#named('Night guard'),
      format: 'IMMIX',
      address: 'S12345@guard.example',
    });
  }

  async #person(role: string): Promise<void> {
    const name = role === 'operator' ? 'Grace Hopper' : 'Alan Turing';
    const invited = { name: this.#named(name), email: `${role}@harbor.example`, role };
    const { inviteUrl } = await this.#call('console/invitePerson', invited);
    const response = await fetch(`${this.#gateway.apiUrl}/api/console/acceptInvite`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        inviteToken: inviteUrl.split('#invite=')[1],
        password: 'correct horse battery',
      }),
    });
    if (!response.ok) throw new Error(await response.text());
  }

  #report(kind: string, rows: readonly object[]): Promise<Json> {
    return this.#call(`ingest/${kind}`, { rows });
  }
}

/** Without a camera, the page has nothing to show. */
const WATCHED = 'watch?cameras=:cameraUuid';

/** `path`: of web/console/pages.ts. Fails for a parameter that is new, and so has no value here. */
function withValues(path: string, values: Readonly<Record<string, string>>): string {
  return path.replaceAll(/:(\w+)/g, (_all, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`nothing is called ${name} in the address ${path}`);
    return value;
  });
}
