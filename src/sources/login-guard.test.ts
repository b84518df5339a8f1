import { beforeEach, describe, expect, it } from 'vitest';
import type { AccessUnit } from '../codec/track.ts';
import { GatewayError } from '../core/errors.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { CredentialUrl } from '../core/secret.ts';
import { RTSP_ERRORS } from '../rtsp/errors.ts';
import type { SpeakerEvents } from '../stream/media/live-speaker.ts';
import type { Source, SourceInstance } from '../stream/source/source.ts';
import type { SourceEvents } from '../stream/source/source-events.ts';
import { SourceSink } from '../stream/source/source-sink.ts';
import { LOGIN_PAUSE_MS, LoginGuard, MAX_LOGIN_TRIES } from './login-guard.ts';
import { DIRECT_ERRORS } from './network/errors.ts';

const URL_1 = new CredentialUrl('rtsp://admin:wrong@192.0.2.10/channel/1');
const URL_2 = new CredentialUrl('rtsp://admin:wrong@192.0.2.10/channel/2');

let clock: FakeClock;
let guard: LoginGuard;
/** Contacts that reached the camera. */
let tries: number;
beforeEach(() => {
  clock = new FakeClock();
  guard = new LoginGuard(clock);
  tries = 0;
});

const refusal = () => new GatewayError(RTSP_ERRORS.RTSP_AUTH_FAILED, { statusCode: 401 });

/** The outcome of an attempt. */
interface Opened {
  readonly instance: SourceInstance;
  /** The camera that was contacted; null if none was. */
  readonly camera: SourceEvents | null;
  readonly errors: GatewayError[];
}

function open(url: CredentialUrl, through = guard, heard: Partial<SourceEvents> = {}, orgUuid = 'a'): Opened {
  let camera: SourceEvents | null = null;
  const source: Source = {
    engine: 'fake',
    open(events) {
      tries += 1;
      camera = events;
      return { close: async () => undefined };
    },
  };
  const errors: GatewayError[] = [];
  const events: SourceEvents = {
    onTracks: () => undefined,
    onAccessUnit: () => undefined,
    onDropped: () => undefined,
    onEnded: (error) => void errors.push(error),
    ...heard,
  };
  const instance = through.guard(source, url, orgUuid).open(new SourceSink(events));
  return { instance, camera, errors };
}

/** Opens it, lets the camera refuse the password if it is contacted, and returns what the supervisor receives. */
async function refusedAt(url: CredentialUrl, orgUuid?: string): Promise<GatewayError | undefined> {
  const { camera, errors } = open(url, guard, {}, orgUuid);
  camera?.onEnded(refusal());
  await Promise.resolve();
  return errors[0];
}

function acceptedAt(url: CredentialUrl): void {
  const { camera } = open(url);
  camera?.onTracks([]);
  camera?.onEnded(new GatewayError(DIRECT_ERRORS.DIRECT_DISCONNECTED));
}

/** Talks: `reply` is what the camera does if it is contacted. */
async function talk(url: CredentialUrl, reply: (camera: SpeakerEvents) => void): Promise<GatewayError[]> {
  const errors: GatewayError[] = [];
  const speaker = {
    open: (camera: SpeakerEvents) => {
      tries += 1;
      reply(camera);
      return { write: () => undefined, close: () => undefined };
    },
  };
  const onEnded = (error: GatewayError) => void errors.push(error);
  const line = guard.guardSpeaker(speaker, url, 'a').open({ onOpen: () => undefined, onEnded });
  await Promise.resolve();
  line.close();
  return errors;
}

describe('the connection to a speaker', () => {
  it('is not opened while the login is refused to video', async () => {
    for (let attempt = 0; attempt < MAX_LOGIN_TRIES; attempt++) await refusedAt(URL_1);
    const errors = await talk(URL_1, () => undefined);
    expect([tries, errors[0]?.code, errors[0]?.context.tries]).toEqual([3, 'RTSP_AUTH_FAILED', 3]);
  });

  it('counts refusals like video, unless the account may watch: then they pause talking alone', async () => {
    for (let attempt = 0; attempt < 5; attempt++) await talk(URL_1, (camera) => camera.onEnded(refusal()));
    expect([tries, (await refusedAt(URL_2))?.context.tries]).toEqual([3, 3]);
    guard.forgive(URL_1);
    acceptedAt(URL_1);
    tries = 0;
    for (let attempt = 0; attempt < 5; attempt++) await talk(URL_1, (camera) => camera.onEnded(refusal()));
    expect(tries).toBe(MAX_LOGIN_TRIES);
    expect(open(URL_1).camera).not.toBeNull();
    guard.forgive(URL_1);
    expect(await talk(URL_1, (camera) => camera.onOpen())).toEqual([]);
  });

  it('leaves room for the next try if someone lets go before the camera has decided', async () => {
    await refusedAt(URL_1);
    for (let attempt = 0; attempt < 5; attempt++) await talk(URL_1, () => undefined);
    expect(tries).toBe(6);
  });
});

describe('LoginGuard', () => {
  it('tries a wrong password a few times and then only every few minutes', async () => {
    const pauses: unknown[] = [];
    for (let attempt = 0; attempt < MAX_LOGIN_TRIES; attempt++) {
      pauses.push((await refusedAt(URL_1))?.context.loginPauseMs);
    }
    expect(pauses).toEqual([undefined, undefined, LOGIN_PAUSE_MS]);
    clock.advance(LOGIN_PAUSE_MS - 10_000);
    const held = await refusedAt(URL_1);
    expect([tries, held?.code, held?.context.loginPauseMs]).toEqual([3, 'RTSP_AUTH_FAILED', 10_000]);
    clock.advance(10_000);
    expect((await refusedAt(URL_1))?.context).toMatchObject({ loginPauseMs: LOGIN_PAUSE_MS, tries: 4 });
    expect(tries).toBe(4);
  });

  it('is not reset by viewers who leave and come back', async () => {
    for (let view = 0; view < 20; view++) {
      await refusedAt(URL_1);
      const { instance } = open(URL_1);
      await instance.close();
    }
    expect(tries).toBeLessThanOrEqual(MAX_LOGIN_TRIES * 2);
  });

  it('counts the channels of an NVR and the streams of a camera as one account', async () => {
    for (let channel = 1; channel <= 32; channel++) {
      await refusedAt(new CredentialUrl(`rtsp://admin:wrong@192.0.2.10/channel/${channel}`));
    }
    expect(tries).toBe(MAX_LOGIN_TRIES);
  });

  it('does not run more tries at the same time than are left', async () => {
    await refusedAt(URL_1);
    const opened = [open(URL_1), open(URL_2), open(URL_1), open(URL_2)];
    expect(tries).toBe(MAX_LOGIN_TRIES);
    for (const { camera } of opened) camera?.onEnded(refusal());
    clock.advance(LOGIN_PAUSE_MS);
    for (let again = 0; again < 4; again++) open(URL_1);
    expect(tries).toBe(MAX_LOGIN_TRIES + 1);
  });

  it('tries a changed password immediately, and the same one when the camera was changed', async () => {
    for (let attempt = 0; attempt < 5; attempt++) await refusedAt(URL_1);
    expect(tries).toBe(MAX_LOGIN_TRIES);
    await refusedAt(new CredentialUrl('rtsp://admin:other@192.0.2.10/channel/1'));
    expect(tries).toBe(MAX_LOGIN_TRIES + 1);
    const moved = new CredentialUrl('rtsp://admin:wrong@192.0.2.10/elsewhere');
    guard.forgive(moved);
    await refusedAt(moved);
    expect(tries).toBe(MAX_LOGIN_TRIES + 2);
  });

  it('does not keep a channel that is allowed from opening because another is forbidden', async () => {
    acceptedAt(URL_1);
    for (let attempt = 0; attempt < 6; attempt++) await refusedAt(URL_2);
    expect(tries).toBe(1 + MAX_LOGIN_TRIES);
    const { camera } = open(URL_1);
    expect(camera).not.toBeNull();
  });

  it('starts counting again for all channels when a correct password is refused', async () => {
    const channels = Array.from({ length: 16 }, (_, i) => new CredentialUrl(`rtsp://a:b@192.0.2.10/${i}`));
    for (const url of channels) acceptedAt(url);
    tries = 0;
    for (const url of channels) await refusedAt(url);
    expect(tries).toBe(MAX_LOGIN_TRIES);
  });

  it('does not take any other failure for a wrong password', () => {
    for (let attempt = 0; attempt < 10; attempt++) {
      const { camera, errors } = open(URL_1);
      camera?.onEnded(new GatewayError(DIRECT_ERRORS.DIRECT_UNREACHABLE));
      expect(errors[0]?.context.loginPauseMs).toBeUndefined();
    }
    expect(tries).toBe(10);
  });

  it('ignores URLs without a login', async () => {
    const url = new CredentialUrl('rtsp://192.0.2.10/open');
    for (let attempt = 0; attempt < 6; attempt++) await refusedAt(url);
    expect([tries, guard.size]).toEqual([6, 0]);
  });

  it('remembers a limited number of accounts, and no password', async () => {
    const { total } = LIMITS.cameraLogins;
    for (let i = 0; i < total + 50; i++) {
      await refusedAt(new CredentialUrl(`rtsp://u:p${i}@192.0.2.10/`));
    }
    expect(guard.size).toBe(total);
  });

  it('does not lock the camera of one organization when another one has many wrong passwords', async () => {
    for (let attempt = 0; attempt < MAX_LOGIN_TRIES; attempt++) await refusedAt(URL_1);
    for (let i = 0; i < LIMITS.cameraLogins.total; i++) {
      await refusedAt(new CredentialUrl(`rtsp://u:p${i}@camera${i}.example/`), 'b');
    }
    tries = 0;
    await refusedAt(URL_1);
    expect(tries).toBe(0);
  });

  it('passes on everything from a camera with a login', () => {
    const seen: string[] = [];
    const { camera } = open(URL_1, guard, {
      onTracks: () => seen.push('tracks'),
      onAccessUnit: () => seen.push('unit'),
      onSound: ({ kind }) => seen.push(kind),
      onDropped: (frames) => seen.push(`${frames} dropped`),
    });
    camera?.onSound?.({ kind: 'waiting' });
    camera?.onTracks([]);
    camera?.onAccessUnit({} as AccessUnit);
    camera?.onDropped(3, 'LOST');
    expect(seen).toEqual(['waiting', 'tracks', 'unit', '3 dropped']);
  });

  it('calls nothing on an attempt that was closed while it was held', async () => {
    for (let attempt = 0; attempt < 3; attempt++) await refusedAt(URL_1);
    const { instance, errors } = open(URL_1);
    await instance.close();
    await Promise.resolve();
    expect(errors).toEqual([]);
  });
});
