import { beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../core/errors.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { ONVIF_ERRORS } from '../onvif/errors.ts';
import { type CameraPtz, PtzCamera } from './ptz-camera.ts';

const RIGHT = { pan: 1, tilt: null, zoom: null };

/** A camera that answers each request on the test's command. */
class ScriptedPtz {
  readonly requested: string[] = [];
  readonly answers: ((failure?: GatewayError) => void)[] = [];
  readonly ptz: CameraPtz = {
    state: () => Promise.reject(new Error('not asked for')),
    move: (mode, _vector, timeoutMs, signal) => this.#ask(`${mode} ${timeoutMs}`, signal),
    stop: (signal) => this.#ask('stop', signal),
    gotoPreset: (token, signal) => this.#ask(`goto ${token}`, signal),
    setPreset: async (name, _token, signal) => {
      await this.#ask(`set ${name}`, signal);
      return '1';
    },
    removePreset: (token, signal) => this.#ask(`remove ${token}`, signal),
  };

  #ask(what: string, signal: AbortSignal): Promise<void> {
    this.requested.push(what);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => reject(new GatewayError(ONVIF_ERRORS.ONVIF_UNREACHABLE)));
    this.answers.push((failure) => (failure === undefined ? resolve() : reject(failure)));
    return promise;
  }

  /** Answers the oldest request, and waits until its caller has noticed. */
  async answer(failure?: GatewayError): Promise<void> {
    this.answers.shift()!(failure);
    await settled();
  }
}

/** Everything that promises set off has happened. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('PtzCamera', () => {
  let clock: FakeClock;
  let camera: ScriptedPtz;
  let opened: number;
  let notStopped: string[];
  let ptz: PtzCamera;
  beforeEach(() => {
    clock = new FakeClock();
    camera = new ScriptedPtz();
    [opened, notStopped] = [0, []];
    ptz = new PtzCamera({
      clock,
      moves: null,
      open: () => {
        opened += 1;
        return camera.ptz;
      },
      onNotStopped: ({ code }) => notStopped.push(code),
    });
  });

  const moving = async (timeoutMs = 2_000) => {
    const moved = ptz.move('CONTINUOUS', RIGHT, timeoutMs);
    await camera.answer();
    await moved;
  };

  it('stops a continuous move when its time is over, also if the camera would not', async () => {
    await moving();
    clock.advance(1_999);
    expect(camera.requested).toEqual(['CONTINUOUS 2000']);
    expect(ptz.isIdle).toBe(false);
    clock.advance(1);
    expect(camera.requested).toEqual(['CONTINUOUS 2000', 'stop']);
    await camera.answer();
    expect([ptz.isIdle, clock.pendingTimers]).toEqual([true, 0]);
  });

  it('lets a later move replace it, with a time of its own', async () => {
    await moving();
    clock.advance(1_500);
    await moving(5_000);
    clock.advance(4_999);
    expect(camera.requested).not.toContain('stop');
    clock.advance(1);
    expect(camera.requested.at(-1)).toBe('stop');
  });

  it.each([
    ['stop', () => ptz.stop()],
    ['a preset', () => ptz.gotoPreset('1')],
    ['a relative move', () => ptz.move('RELATIVE', RIGHT, null)],
  ])('lets %s end it', async (_what, replace) => {
    await moving();
    const replaced = replace();
    await camera.answer();
    await replaced;
    expect([ptz.isIdle, clock.pendingTimers]).toEqual([true, 0]);
  });

  it('sends one request at a time, and only the newest move of those that wait', async () => {
    const first = ptz.move('CONTINUOUS', RIGHT, 1_000);
    const second = ptz.move('CONTINUOUS', RIGHT, 2_000);
    const preset = ptz.ask((requested, signal) => requested.removePreset('1', signal));
    const stop = ptz.stop();
    await expect(second).rejects.toMatchObject({ code: 'PTZ_MOVE_REPLACED' });
    expect(camera.requested).toEqual(['CONTINUOUS 1000']);
    await camera.answer();
    await first;
    await camera.answer();
    await stop;
    await camera.answer();
    await preset;
    expect(camera.requested).toEqual(['CONTINUOUS 1000', 'stop', 'remove 1']);
    expect([ptz.isIdle, clock.pendingTimers]).toEqual([true, 0]);
  });

  it('stops the earlier move if the one that replaces it fails meanwhile', async () => {
    await moving(1_000);
    const refused = expect(ptz.move('ABSOLUTE', RIGHT, null)).rejects.toMatchObject({
      code: 'ONVIF_REFUSED',
    });
    clock.advance(1_000);
    expect(camera.requested).not.toContain('stop');
    await camera.answer(new GatewayError(ONVIF_ERRORS.ONVIF_REFUSED));
    await refused;
    expect(camera.requested.at(-1)).toBe('stop');
  });

  it('lets a bounded number of other calls wait', async () => {
    const calls = Array.from({ length: 6 }, () =>
      ptz.ask((requested, signal) => requested.removePreset('1', signal)),
    );
    await expect(calls[5]).rejects.toMatchObject({ code: 'PTZ_BUSY' });
    for (let responded = 0; responded < 5; responded += 1) await camera.answer();
    await Promise.all(calls.slice(0, 5));
    expect(camera.requested).toHaveLength(5);
  });

  it('does not wait for a camera that never answers, and tries to stop what may move', async () => {
    const moved = ptz.move('CONTINUOUS', RIGHT, 1_000);
    const other = ptz.ask((requested, signal) => requested.removePreset('1', signal));
    clock.advance(8_000);
    await expect(moved).rejects.toMatchObject({ code: 'ONVIF_UNREACHABLE' });
    await settled();
    camera.answers.shift();
    await camera.answer();
    await other;
    clock.advance(1_000);
    expect(camera.requested.at(-1)).toBe('stop');
    // The next call opens a new conversation.
    expect(opened).toBe(2);
    await camera.answer(new GatewayError(ONVIF_ERRORS.ONVIF_UNREACHABLE));
    expect([notStopped, ptz.isIdle]).toEqual([['ONVIF_UNREACHABLE'], true]);
  });

  it('tries three times to stop, then leaves it to the camera', async () => {
    await moving();
    clock.advance(2_000);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await camera.answer(new GatewayError(ONVIF_ERRORS.ONVIF_UNREACHABLE));
      clock.advance(500);
    }
    expect(camera.requested).toEqual(['CONTINUOUS 2000', 'stop', 'stop', 'stop']);
    expect([notStopped, clock.pendingTimers]).toEqual([['ONVIF_UNREACHABLE'], 0]);
  });

  it('does not repeat a refused login for five minutes', async () => {
    const refused = expect(ptz.stop()).rejects.toMatchObject({ code: 'ONVIF_NOT_AUTHENTICATED' });
    await camera.answer(new GatewayError(ONVIF_ERRORS.ONVIF_NOT_AUTHENTICATED));
    await refused;
    clock.advance(299_000);
    await expect(ptz.stop()).rejects.toMatchObject({ code: 'ONVIF_NOT_AUTHENTICATED' });
    expect(camera.requested).toEqual(['stop']);
    clock.advance(1_000);
    const again = ptz.stop();
    await camera.answer();
    await again;
  });

  it('stops the camera at the end, and lets go of what waits', async () => {
    await moving(30_000);
    const running = ptz.ask((requested, signal) => requested.setPreset('x', null, signal));
    const waiting = ptz.move('RELATIVE', RIGHT, null);
    const closing = ptz.close();
    await expect(running).rejects.toMatchObject({ code: 'ONVIF_UNREACHABLE' });
    await expect(waiting).rejects.toMatchObject({ code: 'PTZ_BUSY' });
    await settled();
    expect(camera.requested).toEqual(['CONTINUOUS 30000', 'set x', 'stop']);
    camera.answers.shift();
    await camera.answer();
    await closing;
    expect([clock.pendingTimers, notStopped]).toEqual([0, []]);
  });

  it('does not wait at the end for a camera that does not answer', async () => {
    await moving(30_000);
    const closing = ptz.close();
    await settled();
    clock.advance(2_000);
    await closing;
    expect(notStopped).toEqual(['ONVIF_UNREACHABLE']);
  });
});
