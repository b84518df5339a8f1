/**
 * Every connection to a camera of the API stays within the networks of its organization and of the operator: at first,
 * after they changed, and after a name moved.
 */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import { eventually } from '../core/eventually-fixture.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { CredentialUrl } from '../core/secret.ts';
import { FFMPEG_ERRORS } from '../ffmpeg/errors.ts';
import type { FfmpegBinary } from '../ffmpeg/find-ffmpeg.ts';
import type { WorkerSpec } from '../ffmpeg/worker.ts';
import type { WorkerPool } from '../ffmpeg/worker-pool.ts';
import { onvifServiceOf } from '../onvif/onvif-service.ts';
import { type FakeHost, FakeNetwork } from '../sources/network/fake-network.ts';
import type { RtmpListener } from '../sources/rtmp/rtmp-listener.ts';
import { CameraHost } from '../sources/threaded/camera-host.ts';
import { CameraHostLink } from '../sources/threaded/camera-host-link.ts';
import type { CameraHostCalls, CameraOrder } from '../sources/threaded/host-messages.ts';
import type { CameraThreadChoice } from '../sources/threaded/threaded-rtsp-source.ts';
import { createRing } from '../sources/threaded/unit-ring.ts';
import type { Camera } from '../store/entities.ts';
import { sampleCamera } from '../store/sample-entities-fixture.ts';
import type { HubCamera } from '../stream/hub.ts';
import { SourceSink } from '../stream/source/source-sink.ts';
import { AddressRules } from './address-rules.ts';
import { examiner, onvifNetwork, prober } from './camera-access.ts';
import { CameraSources } from './camera-sources.ts';

const orgUuid = newRuuid();
/** How long a turn of a camera thread takes. */
const TURN_MS = 10;
const OWN = '10.1.1.1';
const OF_OTHERS = '192.168.0.5';
const OF_NO_ONE = '172.16.0.1';
const OUTSIDE_ORGANIZATION = 'DIRECT_OUTSIDE_ORGANIZATION_NETWORKS';
const OUTSIDE_OPERATOR = 'DIRECT_OUTSIDE_OPERATOR_NETWORKS';
const NAME = 'camera.example';
const nothing = () => undefined;

/** Opens a connection to the camera that it was made for, and resolves with the code of the failure. */
type Open = () => Promise<string>;
/** Makes what opens connections to a camera at `host`, and keeps it. */
type Place = (host: string) => Open;

const network = new FakeNetwork();
let networks: { operator: readonly string[]; organization: readonly string[] };
let rules: AddressRules;
let clock: FakeClock;

beforeEach(() => {
  network.install();
  network.names.clear();
  network.hosts.clear();
  network.takeDialed();
  clock = new FakeClock();
  networks = { operator: ['10.0.0.0/8', '192.168.0.0/16'], organization: ['10.0.0.0/8'] };
  rules = new AddressRules({
    undeclaredReach: 'no-local',
    networks: {
      get operator() {
        return networks.operator;
      },
      of: (uuid: Ruuid) => (uuid === orgUuid ? networks.organization : []),
    },
  });
});
afterEach(() => vi.restoreAllMocks());

function sources(cameraThreads: CameraThreadChoice | null = null): CameraSources {
  // A worker connects to the one address that its jail lets through.
  const start = async ({ network: reached }: WorkerSpec) => {
    network.dial(reached!.address);
    throw new GatewayError(FFMPEG_ERRORS.FFMPEG_CAMERA_UNREACHABLE);
  };
  const protocols = new Set(['rtmp', 'rtmps', 'srt', 'tcp']);
  return new CameraSources({
    signingAnchors: '',
    pool: { isAllowed: true, start, startYielding: start } as unknown as WorkerPool,
    binary: { path: '/ffmpeg', major: 8, isOutdated: false, protocols } as unknown as FfmpegBinary,
    rtmp: { remove: nothing } as unknown as RtmpListener,
    addressRules: rules,
    soundServers: null,
    clock,
    log: silentLog,
    cameraThreads,
    connectTimeoutMs: 1_000,
    silenceMs: 1_000,
  });
}

/** A thread that reads cameras, within this one: it gets a copy of each order, and is heard with each `turn`. */
function cameraThread(): CameraThreadChoice & { turn(): void } {
  const ring = createRing(1_048_576);
  let isAwake = false;
  const onWake = () => {
    isAwake = true;
  };
  const host = new CameraHost({ ring, clock, onSlab: nothing, onWake });
  const open = (stream: number, order: CameraOrder) => host.open(stream, structuredClone(order));
  const calls = { open, close: (stream: number) => host.close(stream) } as CameraHostCalls;
  const link = new CameraHostLink({ ring, calls, clock, takeSlabNotice: () => undefined });
  const turn = () => {
    if (isAwake) link.wake();
    isAwake = false;
    clock.advance(TURN_MS);
  };
  return { pick: () => link, turn };
}

/** One of a live camera's streams. */
function live(
  urlAt: (host: string) => string,
  settings: Partial<Camera> = {},
  stream: 'main' | 'sub' = 'main',
  isThreaded = false,
): Place {
  return (host) => {
    const url = new CredentialUrl(urlAt(host));
    const rtspUrl = stream === 'main' ? url : new CredentialUrl('rtsp://10.9.9.9/main');
    const substreamUrl = stream === 'main' ? null : url;
    const camera = sampleCamera(orgUuid, {
      fromConfig: false,
      tls: 'any',
      rtspUrl,
      substreamUrl,
      ...settings,
    });
    const thread = isThreaded ? cameraThread() : null;
    const source = (sources(thread).hubCamera(camera) as HubCamera)[stream]!;
    return async () => {
      let code: string | null = null;
      const onEnded = (error: GatewayError) => {
        code = error.code;
      };
      const events = { onTracks: nothing, onAccessUnit: nothing, onDropped: nothing, onEnded };
      source.open(new SourceSink(events));
      return eventually('the stream ends', () => {
        thread?.turn();
        return code;
      }) as Promise<string>;
    };
  };
}

const failureOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (thrown: unknown) => toGatewayError(thrown).code,
  );
const reach = { rule: { reach: 'no-local', orgUuid }, transport: 'auto', tls: 'any' } as const;

/** `camera/probeCamera`, and what registers cameras. */
const probed =
  (urlAt: (host: string) => string): Place =>
  (host) => {
    const probe = prober(clock, rules);
    return async () => (await probe(new CredentialUrl(urlAt(host)), 1_000, reach)).error?.code ?? 'none';
  };

/** `scheme`: of the ONVIF service. */
const onvif =
  (
    scheme: 'http' | 'https',
    ask: (onvifNet: ReturnType<typeof onvifNetwork>, target: OnvifTargetOf) => () => Promise<unknown>,
  ): Place =>
  (host) => {
    const { service, login } = onvifServiceOf(new CredentialUrl(`${scheme}://${host}/onvif/device_service`));
    const { rule, tls } = reach;
    const streamUrl = `rtsp://${host}/main`;
    const requested = ask(onvifNetwork(clock, [], rules), { service, login, rule, tls, streamUrl });
    return () => failureOf(requested());
  };
type OnvifTargetOf = Parameters<ReturnType<typeof onvifNetwork>['openPtz']>[0];

const PLACES: Readonly<Record<string, Place>> = {
  'a live camera over RTSP': live((host) => `rtsp://${host}/main`, { engine: 'direct' }),
  'a live camera of the auto engine': live((host) => `rtsp://${host}/main`, { engine: 'auto' }),
  'a live camera over RTSP with TLS': live((host) => `rtsps://${host}/main`, { engine: 'direct' }),
  'a live camera over RTSP in HTTP': live((host) => `rtsp://${host}/main`, { transport: 'http' }),
  'a thread that reads cameras': live((host) => `rtsp://${host}/main`, { engine: 'direct' }, 'main', true),
  'a substream': live((host) => `rtsp://${host}/sub`, { engine: 'direct' }, 'sub'),
  'a live camera over HTTP': live((host) => `http://${host}/live.m3u8`),
  'a live camera over HTTPS': live((host) => `https://${host}/live.m3u8`),
  'a worker that reads RTSP': live((host) => `rtsp://${host}/main`, { engine: 'ffmpeg' }),
  'a worker that reads RTMP': live((host) => `rtmp://${host}/live`),
  'a worker that reads RTMP with TLS': live((host) => `rtmps://${host}/live`),
  'a worker that reads SRT': live((host) => `srt://${host}:9000`),
  'a probe over RTSP': probed((host) => `rtsp://${host}/main`),
  'a probe over RTSP with TLS': probed((host) => `rtsps://${host}/main`),
  'a probe over HTTP': probed((host) => `http://${host}/live.m3u8`),
  'a probe over HTTPS': probed((host) => `https://${host}/live.m3u8`),
  'an examination': (host) => {
    const examine = examiner(clock, rules);
    const how = {
      ...reach,
      timeoutMs: 1_000,
      isBrief: false,
      engine: 'auto',
      signal: new AbortController().signal,
    } as const;
    return async () => (await examine(new CredentialUrl(`rtsp://${host}/main`), how)).fault?.code ?? 'none';
  },
  'an inspection over ONVIF': onvif(
    'http',
    (net, { service, login, tls }) =>
      () =>
        net.inspect(orgUuid, service, { login, tls }, 1_000),
  ),
  'an inspection over ONVIF with TLS': onvif(
    'https',
    (net, { service, login, tls }) =>
      () =>
        net.inspect(orgUuid, service, { login, tls }, 1_000),
  ),
  'a look at the clock over ONVIF': onvif('http', (net, target) => () => net.readClock(target, 1_000)),
  PTZ: onvif('http', (net, target) => {
    const ptz = net.openPtz(target);
    return () => ptz.state(new AbortController().signal);
  }),
  'PTZ with TLS': onvif('https', (net, target) => {
    const ptz = net.openPtz(target);
    return () => ptz.state(new AbortController().signal);
  }),
};

describe.each(Object.entries(PLACES))('%s', (_what, place) => {
  const outcome = async (open: Open) => ({ code: await open(), dialed: [...new Set(network.takeDialed())] });
  const opened = (address: string) => ({
    code: expect.stringMatching(/^(?:DIRECT|PULL|ONVIF|FFMPEG_CAMERA)_UNREACHABLE$/),
    dialed: [address],
  });
  const refused = (code: string) => ({ code, dialed: [] });

  it('does not open an address outside of the networks', async () => {
    expect(await outcome(place(OF_OTHERS))).toEqual(refused(OUTSIDE_ORGANIZATION));
    expect(await outcome(place(OF_NO_ONE))).toEqual(refused(OUTSIDE_OPERATOR));
    expect(await outcome(place('[2001:db8::1]'))).toEqual(refused(OUTSIDE_OPERATOR));
    expect(await outcome(place(OWN))).toEqual(opened(OWN));
  });

  it('follows a change of the networks with its next connection', async () => {
    for (const host of [OWN, NAME]) {
      networks = { operator: ['10.0.0.0/8'], organization: [] };
      network.names.set(NAME, OWN);
      const open = place(host);
      expect(await outcome(open)).toEqual(opened(OWN));
      networks = { operator: ['10.0.0.0/8'], organization: ['10.9.0.0/16'] };
      expect(await outcome(open)).toEqual(refused(OUTSIDE_ORGANIZATION));
      networks = { operator: ['192.168.0.0/16'], organization: ['10.9.0.0/16'] };
      expect(await outcome(open)).toEqual(refused(OUTSIDE_OPERATOR));
      networks = { operator: [], organization: ['10.1.0.0/16'] };
      expect(await outcome(open)).toEqual(opened(OWN));
    }
  });

  it('does not follow a name to an address outside of the networks', async () => {
    network.names.set(NAME, OF_OTHERS);
    const open = place(NAME);
    expect(await outcome(open)).toEqual(refused(OUTSIDE_ORGANIZATION));
    network.names.set(NAME, OWN);
    expect(await outcome(open)).toEqual(opened(OWN));
    network.names.set(NAME, OF_NO_ONE);
    expect(await outcome(open)).toEqual(refused(OUTSIDE_OPERATOR));
  });
});

/** How the camera at OWN leads to another host. */
const LEADS: Readonly<Record<string, { place: Place; host: (to: string) => FakeHost }>> = {
  'an HTTP redirect': {
    place: live((host) => `http://${host}/live.m3u8`),
    host: (to) => () => httpResponse('302 Found', `Location: http://${to}/live.m3u8\r\n`),
  },
  'an HTTP redirect to HTTPS': {
    place: live((host) => `http://${host}/live.m3u8`),
    host: (to) => () => httpResponse('302 Found', `Location: https://${to}/live.m3u8\r\n`),
  },
  'an HTTP redirect to a probe': {
    place: probed((host) => `http://${host}/live.m3u8`),
    host: (to) => () => httpResponse('307 Temporary Redirect', `Location: http://${to}/live.m3u8\r\n`),
  },
  'a playlist': {
    place: live((host) => `http://${host}/live.m3u8`),
    host: (to) => () =>
      httpResponse(
        '200 OK',
        'Content-Type: application/vnd.apple.mpegurl\r\n',
        `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS="avc1.64001f"\nhttp://${to}/main.m3u8\n`,
      ),
  },
  'an RTSP redirect': {
    place: live((host) => `rtsp://${host}/main`, { engine: 'direct' }),
    host: rtspRedirect,
  },
  'an RTSP redirect to a probe': {
    place: probed((host) => `rtsp://${host}/main`),
    host: rtspRedirect,
  },
};

function httpResponse(status: string, headers: string, body = ''): string {
  return `HTTP/1.1 ${status}\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`;
}

function rtspRedirect(to: string): FakeHost {
  return (request) => {
    const cseq = /^CSeq: *(\d+)/imu.exec(request)?.[1] ?? '';
    const isDescribe = request.startsWith('DESCRIBE');
    const status = isDescribe ? `302 Found\r\nLocation: rtsp://${to}/other` : '200 OK';
    return `RTSP/1.0 ${status}\r\nCSeq: ${cseq}\r\n\r\n`;
  };
}

describe.each(Object.entries(LEADS))('%s', (_what, { place, host }) => {
  it.each([
    ['an address of others', OF_OTHERS, OUTSIDE_ORGANIZATION],
    ['an address of no one', OF_NO_ONE, OUTSIDE_OPERATOR],
    ['a name at an address of others', 'others.example', OUTSIDE_ORGANIZATION],
    ['a name at an address of no one', 'no-one.example', OUTSIDE_OPERATOR],
  ])('does not lead to %s', async (_where, to, code) => {
    network.names.set('others.example', OF_OTHERS).set('no-one.example', OF_NO_ONE);
    network.hosts.set(OWN, host(to));
    expect(await place(OWN)()).toBe(code);
    expect(new Set(network.takeDialed())).toEqual(new Set([OWN]));
  });

  it('leads to another address within the networks', async () => {
    const other = '10.2.2.2';
    network.hosts.set(OWN, host(other));
    expect(await place(OWN)()).toMatch(/_UNREACHABLE$/);
    expect(new Set(network.takeDialed())).toEqual(new Set([OWN, other]));
  });
});
