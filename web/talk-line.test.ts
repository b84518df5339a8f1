import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parsePlain } from './console/plain-json.ts';
import { FRAME_SAMPLES } from './talk-frames.ts';
import { LINGER_MS, MAX_WAITING_BYTES, RETRY_MS, type SocketEvents, TalkLine } from './talk-line.ts';

const RATE_HZ = 48_000;
const FRAME = new Float32Array(FRAME_SAMPLES).fill(0.5);

class Socket {
  readonly sent: number[] = [];
  bufferedAmount = 0;
  isClosed = false;
  readonly events: SocketEvents;
  constructor(events: SocketEvents) {
    this.events = events;
  }
  send({ byteLength }: { readonly byteLength: number }): void {
    this.sent.push(byteLength);
  }
  close(): void {
    this.isClosed = true;
  }
  tell(news: object): void {
    this.events.onText(JSON.stringify({ action: 'talk', ...news }));
  }
}

let sockets: Socket[];
let openSocket: (socket: Socket) => Promise<Socket>;
/** How many are open. */
let microphones: number;
let openMicrophone: () => Promise<void>;
let speak: (samples: Float32Array) => void;
let takeAway: () => void;
let line: TalkLine;

beforeEach(() => {
  vi.useFakeTimers();
  [sockets, microphones] = [[], 0];
  openSocket = async (socket) => socket;
  openMicrophone = async () => undefined;
  line = new TalkLine({
    openSocket: (events) => {
      sockets.push(new Socket(events));
      return openSocket(sockets.at(-1)!);
    },
    openMicrophone: async (onSamples, onEnd) => {
      [speak, takeAway] = [(samples) => onSamples(samples, RATE_HZ), onEnd];
      await openMicrophone();
      microphones++;
      return { close: () => void microphones-- };
    },
    microphoneProblem: () => 'microphone-refused',
    parse: parsePlain,
    cell: (value) => ({ value }),
  });
});
afterEach(() => {
  line.close();
  vi.useRealTimers();
});

const passed = (ms = 0) => vi.advanceTimersByTimeAsync(ms);
const hold = async () => {
  line.hold();
  await passed();
};

describe('talking', () => {
  it('sends the control message once, then frames while the button is held, and none afterwards', async () => {
    await hold();
    expect(line.state.value).toEqual({ kind: 'opening' });
    for (let frame = 0; frame < 3; frame++) speak(FRAME);
    sockets[0]!.tell({ state: 'talking', isOwn: true });
    expect(line.state.value).toEqual({ kind: 'talking' });
    expect(line.level.value).toBeGreaterThan(0.5);
    line.release();
    speak(FRAME);
    expect(sockets[0]!.sent).toEqual([16, 1_920, 1_920, 1_920]);
    expect([line.state.value.kind, line.level.value, microphones]).toEqual(['quiet', 0, 0]);
    await hold();
    speak(FRAME);
    expect(sockets.map(({ sent }) => sent)).toEqual([[16, 1_920, 1_920, 1_920, 1_920]]);
  });

  it('closes the connection when nobody has used it for a while', async () => {
    await hold();
    line.release();
    await passed(LINGER_MS - 1);
    expect(sockets[0]!.isClosed).toBe(false);
    await passed(1);
    expect(sockets[0]!.isClosed).toBe(true);
    await hold();
    expect(sockets).toHaveLength(2);
    await passed(2 * LINGER_MS);
    expect(sockets[1]!.isClosed).toBe(false);
  });

  it('leaves frames out that would wait', async () => {
    await hold();
    speak(FRAME);
    sockets[0]!.bufferedAmount = MAX_WAITING_BYTES;
    speak(FRAME);
    sockets[0]!.bufferedAmount = 0;
    speak(FRAME);
    expect(sockets[0]!.sent).toEqual([16, 1_920, 1_920]);
  });

  it('sends nothing of a microphone that comes after the button was let go, and says that it is ready', async () => {
    let allow = () => {};
    openMicrophone = () => new Promise((resolve) => (allow = resolve));
    await hold();
    line.release();
    expect(line.state.value.kind).toBe('quiet');
    allow();
    await passed();
    expect([line.state.value.kind, microphones]).toEqual(['ready', 0]);
    openMicrophone = async () => undefined;
    await hold();
    expect([line.state.value.kind, microphones]).toEqual(['opening', 1]);
  });

  it('says why the microphone is not there', async () => {
    openMicrophone = () => Promise.reject(new Error('no'));
    await hold();
    expect(line.state.value).toEqual({ kind: 'failed', problem: 'microphone-refused' });
    openMicrophone = async () => undefined;
    await hold();
    takeAway();
    expect(line.state.value).toEqual({ kind: 'failed', problem: 'microphone-failed' });
    expect(microphones).toBe(0);
  });

  it.each(['capability-unavailable', 'busy', 'silence'])('stops when it is refused: %s', async (reason) => {
    await hold();
    speak(FRAME);
    sockets[0]!.tell({ state: 'refused', reason });
    expect(line.state.value).toEqual({ kind: 'failed', problem: reason });
    expect(microphones).toBe(0);
    // On the same connection, the gateway would not hear it before a pause.
    expect(sockets[0]!.isClosed).toBe(true);
    await hold();
    speak(FRAME);
    expect(sockets[1]!.sent).toEqual([16, 1_920]);
  });

  it('stops when the connection fails or is lost', async () => {
    openSocket = () => Promise.reject(new Error('closed'));
    await hold();
    expect(line.state.value).toEqual({ kind: 'failed', problem: 'connection-failed' });
    openSocket = async (socket) => socket;
    await hold();
    sockets[1]!.events.onClose();
    expect(line.state.value).toEqual({ kind: 'failed', problem: 'connection-failed' });
    expect(microphones).toBe(0);
    await passed(10 * RETRY_MS);
    expect(sockets).toHaveLength(2);
  });

  it('ends with the page', async () => {
    await hold();
    line.close();
    expect([sockets[0]!.isClosed, microphones]).toEqual([true, 0]);
    await hold();
    expect([line.isHeld, sockets.length]).toEqual([false, 1]);
  });
});

describe('listening', () => {
  it('tells who talks, until they stop', async () => {
    line.listen(true);
    await passed();
    sockets[0]!.tell({ state: 'talking', by: 'Grace \u202eHopper' });
    expect(line.other.value).toBe('Grace Hopper');
    sockets[0]!.events.onText('{"action":"reconnect"}');
    sockets[0]!.events.onText('not JSON');
    expect(line.other.value).toBe('Grace Hopper');
    sockets[0]!.tell({ state: 'ended' });
    expect(line.other.value).toBe(null);
    sockets[0]!.tell({ state: 'talking' });
    expect(line.other.value).toBe('');
    line.close();
    expect(line.other.value).toBe(null);
  });

  it('connects again', async () => {
    line.listen(true);
    await passed();
    sockets[0]!.events.onClose();
    await passed(RETRY_MS);
    expect(sockets).toHaveLength(2);
    line.listen(false);
    await passed(LINGER_MS);
    expect(sockets[1]!.isClosed).toBe(true);
  });
});
