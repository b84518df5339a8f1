import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../core/errors.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { CredentialUrl } from '../core/secret.ts';
import { RTSP_ERRORS } from '../rtsp/errors.ts';
import { CHECK_LOGIN_PAUSE_MS, LoginGuard } from '../sources/login-guard.ts';
import { DIRECT_ERRORS } from '../sources/network/errors.ts';
import type { CameraStream } from '../stream/camera-stream.ts';
import { StreamHub } from '../stream/hub.ts';
import { FakePackager, FakeSource, settle } from '../stream/hub-fixture.ts';
import type { Source } from '../stream/source/source.ts';
import { CameraChecks, CONFIRM_MS, FIRST_ROUND_MS } from './camera-checks.ts';
import { cameraColors } from './connection-colors.ts';

const INTERVAL_MS = 300_000;
const ORG = newRuuid();
/** How long a fake camera takes, and how long a silent one is waited for. */
const RESPONSE_MS = 50;
const SILENT_MS = 5_000;

type Health = 'good' | 'silent' | 'refuses-login' | 'no-route';

/** A camera that is only asked; `health` may change. */
class RequestedCamera {
  health: Health = 'good';
  /** When each connection began, monotonic. */
  readonly connections: number[] = [];
  openNow = 0;
  readonly uuid = newRuuid();
  readonly main = new FakeSource();
  readonly orgUuid: Ruuid;
  readonly url: CredentialUrl;
  readonly #clock: FakeClock;

  constructor(clock: FakeClock, url: string, orgUuid = ORG) {
    this.#clock = clock;
    this.url = new CredentialUrl(url);
    this.orgUuid = orgUuid;
  }

  readonly source: Source = {
    engine: 'check',
    open: (sink) => {
      this.connections.push(this.#clock.monoMs());
      this.openNow++;
      const delayMs = this.health === 'silent' ? SILENT_MS : RESPONSE_MS;
      const timer = this.#clock.after(delayMs, () => {
        if (this.health === 'good') sink.onTracks([]);
        else sink.onEnded(FAILURES[this.health]());
      });
      let isOpen = true;
      return {
        close: async () => {
          timer.cancel();
          sink.close();
          if (isOpen) this.openNow--;
          isOpen = false;
        },
      };
    },
  };
}

const FAILURES: Readonly<Record<Exclude<Health, 'good'>, () => GatewayError>> = {
  silent: () => new GatewayError(DIRECT_ERRORS.DIRECT_CONNECT_TIMEOUT),
  'refuses-login': () => new GatewayError(RTSP_ERRORS.RTSP_AUTH_FAILED),
  'no-route': () => new GatewayError(DIRECT_ERRORS.DIRECT_UNREACHABLE, { errno: 'EHOSTUNREACH' }),
};

describe('CameraChecks', () => {
  let clock: FakeClock;
  let hub: StreamHub;
  let logins: LoginGuard;
  let checks: CameraChecks;
  let elsewhere: Set<Ruuid>;
  let verdicts: number;

  beforeEach(() => {
    clock = new FakeClock();
    logins = new LoginGuard(clock);
    elsewhere = new Set();
    verdicts = 0;
    hub = new StreamHub({
      clock,
      log: silentLog,
      idleStopMs: 30_000,
      onStatusChange: () => undefined,
      limits: { backoffMinMs: 1_000, backoffMaxMs: 30_000, startMs: 60_000, silenceMs: 10_000 },
      numberingStore: { find: async () => null, save: async () => undefined },
      createPackager: (options) => new FakePackager(options),
      onReport: (uuid, report) => checks.noted(uuid, report),
      onCamera: (uuid, change) =>
        checks.noted(uuid, change === 'put' ? (hub.get(uuid)?.report() ?? null) : null),
    });
    checks = new CameraChecks({
      cameras: hub,
      seen: (uuid) => hub.get(uuid)?.report() ?? null,
      isHere: (uuid) => !elsewhere.has(uuid),
      onVerdict: async (_org, uuid, verdict) => {
        verdicts++;
        hub.get(uuid)?.probed(verdict);
      },
      intervalMs: INTERVAL_MS,
      clock,
      log: silentLog,
      random: evenly(),
    });
  });
  afterEach(async () => {
    checks.stop();
    await hub.close();
  });

  function put(camera: RequestedCamera, fingerprint = 'a'): CameraStream {
    const { uuid, main, orgUuid: organization, url } = camera;
    const source = logins.guardCheck(camera.source, url, organization);
    const address = `${url.hostname}:${url.port}`;
    hub.put({ uuid, fingerprint, main, sub: null, check: { source, organization, address } });
    return hub.get(uuid)!;
  }

  function camera(
    health: Health = 'good',
    url = `rtsp://a:b@192.0.2.1/${newRuuid()}`,
    org = ORG,
  ): RequestedCamera {
    const made = new RequestedCamera(clock, url, org);
    made.health = health;
    put(made);
    return made;
  }

  /** `watch`: called after each step. */
  async function pass(ms: number, watch: () => void = () => undefined): Promise<void> {
    const untilMs = clock.monoMs() + ms;
    while (clock.monoMs() < untilMs) {
      clock.advance(Math.min(100, untilMs - clock.monoMs()));
      await settle();
      watch();
    }
  }

  const stateOf = ({ uuid }: RequestedCamera) => hub.get(uuid)!.report().main;

  it('knows a minute after a restart which 16 of 200 cameras are broken, and keeps that true', async () => {
    const broken: readonly Health[] = [
      ...Array.from({ length: 10 }, () => 'silent' as const),
      ...Array.from({ length: 3 }, () => 'no-route' as const),
      ...Array.from({ length: 3 }, () => 'refuses-login' as const),
    ];
    const cameras = Array.from({ length: 200 }, (_, index) =>
      // Every twelfth: they are not next to each other.
      camera(index % 12 === 0 ? (broken[index / 12] ?? 'good') : 'good', `rtsp://u:p@198.51.100.${index}/`),
    );
    let most = 0;
    const colors = () => {
      const counts: Record<string, number> = {};
      for (const { uuid } of cameras) {
        const color = cameraColors(hub.get(uuid)!.report()).connectionStatus;
        counts[color] = (counts[color] ?? 0) + 1;
      }
      return counts;
    };
    checks.start();
    expect(colors()).toEqual({ ORANGE: 200 });
    const watch = () => {
      most = Math.max(most, cameras.filter(({ openNow }) => openNow > 0).length);
    };
    await pass(FIRST_ROUND_MS + 2 * SILENT_MS, watch);
    expect(colors()).toEqual({ GREEN: 184, RED: 16 });
    // One connection for each camera, and no burst.
    expect(cameras.map(({ connections }) => connections.length)).toEqual(cameras.map(() => 1));
    expect(most).toBeLessThanOrEqual(LIMITS.cameraChecks.levels.organization.max);

    // A camera that was repaired, and one that broke, show it within an interval and a half.
    cameras[0]!.health = 'good';
    cameras[1]!.health = 'no-route';
    const startMs = clock.monoMs();
    await pass(1.5 * INTERVAL_MS + CONFIRM_MS + SILENT_MS, watch);
    expect([stateOf(cameras[0]!).state, stateOf(cameras[1]!).state]).toEqual(['reachable', 'offline']);
    const perSec = new Map<number, number>();
    for (const { connections } of cameras) {
      for (const atMs of connections.filter((each) => each >= startMs)) {
        const sec = Math.floor(atMs / 1_000);
        perSec.set(sec, (perSec.get(sec) ?? 0) + 1);
      }
    }
    expect(Math.max(...perSec.values())).toBeLessThanOrEqual(4);
    expect(most).toBeLessThanOrEqual(LIMITS.cameraChecks.levels.organization.max);
  });

  it('checks each camera once per interval', async () => {
    const cameras = Array.from({ length: 20 }, (_, index) => camera('good', `rtsp://198.51.100.${index}/`));
    checks.start();
    await pass(1.5 * INTERVAL_MS);
    const before = cameras.map(({ connections }) => connections.length);
    await pass(2 * INTERVAL_MS);
    expect(cameras.map(({ connections }, index) => connections.length - before[index]!)).toEqual(
      cameras.map(() => 2),
    );
  });

  it('leaves a camera alone that is open, or was until a moment ago', async () => {
    const watched = camera();
    checks.start();
    const stream = hub.get(watched.uuid)!;
    stream.touch('silent');
    for (let minute = 0; minute < 10; minute++) {
      stream.touch('silent');
      await pass(25_000);
    }
    expect(watched.connections).toEqual([]);
    watched.main.current.onEnded(FAILURES['no-route']());
    await pass(40_000);
    expect(stream.status().state).toBe('idle');
    const closedMs = clock.monoMs();
    await pass(1.5 * INTERVAL_MS);
    const [first] = watched.connections;
    expect(first! - closedMs).toBeGreaterThan(INTERVAL_MS / 4);
  });

  it('lets a viewer win who opens the camera during its check', async () => {
    const opened = camera('silent');
    checks.start();
    await pass(FIRST_ROUND_MS, () => {
      if (opened.openNow > 0 && opened.main.openNow === 0) hub.get(opened.uuid)!.touch('silent');
      // The connection of the check has ended before the viewer's begins.
      expect(opened.openNow > 0 && opened.main.openNow > 0).toBe(false);
    });
    expect(opened.connections).toHaveLength(1);
    expect(opened.main.opened).toHaveLength(1);
    expect(verdicts).toBe(0);
  });

  it('checks soon whom a viewer opened during the check and left before there was a result', async () => {
    const opened = camera('silent');
    checks.start();
    await pass(FIRST_ROUND_MS, () => {
      if (opened.openNow > 0) hub.get(opened.uuid)!.touch('silent');
    });
    opened.health = 'no-route';
    await pass(40_000 + FIRST_ROUND_MS);
    expect(hub.get(opened.uuid)!.status().state).toBe('idle');
    expect(stateOf(opened).state).toBe('offline');
  });

  it('checks soon again after a check that hung', async () => {
    const { uuid, main, source: responding } = new RequestedCamera(clock, 'rtsp://192.0.2.1/');
    let isHung = true;
    const hanging: Source = {
      engine: 'check',
      open: (sink) => (isHung ? { close: async () => sink.close() } : responding.open(sink)),
    };
    const check = { source: hanging, organization: ORG, address: 'a' };
    hub.put({ uuid, fingerprint: 'a', main, sub: null, check });
    checks.start();
    await pass(FIRST_ROUND_MS);
    isHung = false;
    await pass(30_000 + FIRST_ROUND_MS);
    expect(hub.get(uuid)!.report().main.state).toBe('reachable');
  });

  it('tries a wrong password once per hour, for all channels of a recorder together', async () => {
    const channels = Array.from({ length: 16 }, (_, index) =>
      camera('refuses-login', `rtsp://admin:wrong@192.0.2.10/channel/${index}`),
    );
    checks.start();
    await pass(FIRST_ROUND_MS + SILENT_MS);
    const tries = () => channels.reduce((sum, { connections }) => sum + connections.length, 0);
    expect(tries()).toBe(1);
    expect(channels.map((each) => stateOf(each).fault?.reason)).toEqual(channels.map(() => 'wrong-password'));
    const retryMs = stateOf(channels[3]!).retryAtEpochMs! - clock.epochMs();
    expect(retryMs).toBeGreaterThan(CHECK_LOGIN_PAUSE_MS - 2 * FIRST_ROUND_MS);
    await pass(CHECK_LOGIN_PAUSE_MS);
    expect(tries()).toBe(2);
  });

  it('takes the channels of a recorder one after the other', async () => {
    const channels = Array.from({ length: 16 }, (_, index) => camera('silent', `rtsp://192.0.2.10/${index}`));
    checks.start();
    let most = 0;
    await pass(FIRST_ROUND_MS + 16 * SILENT_MS, () => {
      most = Math.max(most, channels.filter(({ openNow }) => openNow > 0).length);
    });
    expect(most).toBe(1);
    expect(channels.map((each) => stateOf(each).state)).toEqual(channels.map(() => 'offline'));
  });

  it('does not let the silent cameras of one organization delay those of another', async () => {
    for (let index = 0; index < 400; index++) camera('silent', `rtsp://198.51.100.${index % 250}:${index}/`);
    const others = Array.from({ length: 20 }, (_, index) =>
      camera('good', `rtsp://203.0.113.${index}/`, newRuuid()),
    );
    checks.start();
    await pass(FIRST_ROUND_MS + 1_000);
    expect(others.map((each) => stateOf(each).state)).toEqual(others.map(() => 'reachable'));
  });

  it('takes no single failed check for an outage', async () => {
    const shaky = camera();
    checks.start();
    await pass(FIRST_ROUND_MS);
    shaky.health = 'no-route';
    const wasRequested = shaky.connections.length;
    await pass(2 * INTERVAL_MS, () => {
      if (shaky.connections.length > wasRequested) shaky.health = 'good';
      expect(stateOf(shaky).state).toBe('reachable');
    });
    expect(shaky.connections.length).toBeGreaterThan(wasRequested + 1);
  });

  it('checks a camera soon after it was added or changed, and no longer once it is removed', async () => {
    checks.start();
    const added = camera();
    await pass(5_000);
    expect(stateOf(added).state).toBe('reachable');
    added.health = 'no-route';
    put(added, 'b');
    expect(stateOf(added).state).toBe('not-checked');
    await pass(5_000);
    expect(stateOf(added).state).toBe('offline');
    const requested = added.connections.length;
    hub.remove(added.uuid);
    await pass(2 * INTERVAL_MS);
    expect(added.connections).toHaveLength(requested);
  });

  it('leaves cameras to the node that they belong to', async () => {
    const [own, other] = [camera(), camera()];
    elsewhere.add(other.uuid);
    checks.start();
    await pass(2 * INTERVAL_MS);
    expect(own.connections.length).toBeGreaterThan(0);
    expect(other.connections).toEqual([]);
    elsewhere.delete(other.uuid);
    await pass(INTERVAL_MS);
    expect(other.connections.length).toBeGreaterThan(0);
  });

  it('says nothing about a camera that it does not understand', async () => {
    const odd = camera();
    const failing: Source = {
      engine: 'check',
      open: (sink) => {
        queueMicrotask(() => sink.onEnded(new GatewayError(RTSP_ERRORS.RTSP_AUTH_UNSUPPORTED)));
        return { close: async () => sink.close() };
      },
    };
    const check = { source: failing, organization: ORG, address: 'a' };
    hub.put({ uuid: odd.uuid, fingerprint: 'b', main: odd.main, sub: null, check });
    checks.start();
    await pass(FIRST_ROUND_MS);
    expect(stateOf(odd).state).toBe('not-checked');
  });
});

/** Numbers in [0, 1) that fill it evenly, in no order. */
function evenly(): () => number {
  let turn = 0;
  return () => (turn++ * 0.618_033_988_75) % 1;
}
