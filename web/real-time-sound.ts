/**
 * A camera's sound as it leaves it, next to pictures in real time (docs/design/real-time.md#sound). It is fetched only while
 * it is heard. Sound that arrives late cannot be played earlier, so the pictures wait for it: `dueAtMs` says when.
 */

import { PACKET_MS, readSoundMessage, readTalkMessage } from './sound-message.ts';

/** How long a packet waits at first, so that the next one is there in time. */
const FIRST_WAIT_SEC = 0.06;
/** What a late packet adds to that. */
const MORE_WAIT_SEC = 0.04;
/** Packets that all waited longer than this are played sooner, with a gap: the network has recovered. */
const LONG_WAIT_SEC = 0.12;
const JUDGED_PACKETS = 150;
/** Less than what pictures can wait. */
const MAX_WAIT_SEC = 0.25;
/** Rounding of times. */
const SEAM_SEC = 0.001;
const SAMPLE_RATE_HZ = 48_000;
const RETRY_MS = 2_000;
/** The gateway said that there is no sound, or none for this viewer. */
const CLOSE_POLICY = 1_008;

export class RealTimeSound {
  readonly #video: HTMLVideoElement;
  readonly #url: URL;
  readonly #onTalk: (isTalking: boolean) => void;
  #context: AudioContext | null = null;
  #gain: GainNode | null = null;
  #decoder: AudioDecoder | null = null;
  #socket: WebSocket | null = null;
  #retryTimer: number | undefined;
  #isOver = false;
  /** Of the packets that come. */
  #nextEpochMs = Number.NaN;
  /** Time of the context, less the epoch in seconds, at which sound is played; null: nothing has come. */
  #offsetSec: number | null = null;
  /** End of what is scheduled, by the time of the context. */
  #endSec = 0;
  /** Pictures need this much of the wait. */
  #pictureWaitSec = 0;
  /** The shortest wait of the newest packets, and how many these are. */
  #leastWaitSec = Number.POSITIVE_INFINITY;
  #judgedPackets = 0;

  /** `url`: of the WebSocket. `onTalk`: whether someone talks to people at the camera, while sound is heard. */
  constructor(video: HTMLVideoElement, url: URL, onTalk: (isTalking: boolean) => void) {
    this.#video = video;
    this.#url = url;
    this.#onTalk = onTalk;
    video.addEventListener('volumechange', this.#follow);
    this.#follow();
  }

  /** When, by `performance.now()`, what the camera showed at `epochMs` is heard; null: nothing is heard. */
  dueAtMs(epochMs: number): number | null {
    const context = this.#context;
    if (context === null || context.state !== 'running' || this.#offsetSec === null) return null;
    const { contextTime = 0, performanceTime = 0 } = context.getOutputTimestamp();
    return performanceTime + (epochMs / 1_000 + this.#offsetSec - contextTime) * 1_000;
  }

  /** A picture was shown that much later than its sound was heard: sound waits longer. */
  wait(lateMs: number): void {
    if (this.#offsetSec === null) return;
    this.#offsetSec += lateMs / 1_000;
    this.#pictureWaitSec = Math.min(MAX_WAIT_SEC, this.#pictureWaitSec + lateMs / 1_000);
  }

  stop(): void {
    this.#isOver = true;
    this.#video.removeEventListener('volumechange', this.#follow);
    this.#silence();
    void this.#context?.close();
  }

  /** Fetches sound while it is wanted. */
  readonly #follow = (): void => {
    const volume = this.#video.muted ? 0 : this.#video.volume;
    if (volume === 0 || this.#isOver) {
      this.#silence();
      return;
    }
    this.#context ??= new AudioContext({ sampleRate: SAMPLE_RATE_HZ, latencyHint: 'interactive' });
    this.#gain ??= new GainNode(this.#context);
    this.#gain.connect(this.#context.destination);
    this.#gain.gain.value = volume;
    void this.#context.resume();
    if (this.#socket === null) this.#connect();
  };

  #silence(): void {
    clearTimeout(this.#retryTimer);
    this.#socket?.close();
    if (this.#socket !== null) this.#onTalk(false);
    this.#socket = null;
    if (this.#decoder?.state === 'configured') this.#decoder.close();
    this.#decoder = null;
    this.#offsetSec = null;
    [this.#endSec, this.#pictureWaitSec] = [0, 0];
    // What is scheduled is not heard anymore.
    this.#gain?.disconnect();
    this.#gain = null;
    void this.#context?.suspend();
  }

  #connect(): void {
    const decoder = new AudioDecoder({
      output: (data) => this.#play(data),
      error: () => this.#lose(),
    });
    decoder.configure({ codec: 'opus', sampleRate: SAMPLE_RATE_HZ, numberOfChannels: 1 });
    this.#decoder = decoder;
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('message', ({ data }) => {
      if (this.#socket !== socket) return;
      if (data instanceof ArrayBuffer) this.#onMessage(decoder, data);
      else this.#onText(String(data));
    });
    socket.addEventListener('close', ({ code }) => {
      if (this.#socket !== socket) return;
      if (code === CLOSE_POLICY) this.#silence();
      else this.#lose();
    });
  }

  #lose(): void {
    this.#silence();
    this.#retryTimer = setTimeout(this.#follow, RETRY_MS);
  }

  #onText(text: string): void {
    const isTalking = readTalkMessage(text);
    if (isTalking !== null) this.#onTalk(isTalking);
  }

  #onMessage(decoder: AudioDecoder, message: ArrayBuffer): void {
    const record = readSoundMessage(message);
    if (record === null) return;
    if (record.kind === 'epoch') {
      this.#nextEpochMs = record.epochMs;
      return;
    }
    if (Number.isNaN(this.#nextEpochMs) || decoder.state !== 'configured') return;
    const timestamp = this.#nextEpochMs * 1_000;
    this.#nextEpochMs += PACKET_MS;
    decoder.decode(new EncodedAudioChunk({ type: 'key', timestamp, data: record.packet }));
  }

  #play(data: AudioData): void {
    const [context, gain] = [this.#context, this.#gain];
    if (context === null || gain === null) {
      data.close();
      return;
    }
    const epochSec = data.timestamp / 1_000_000;
    const buffer = new AudioBuffer({ length: data.numberOfFrames, sampleRate: data.sampleRate });
    const samples = new Float32Array(data.numberOfFrames);
    data.copyTo(samples, { planeIndex: 0, format: 'f32-planar' });
    data.close();
    buffer.copyToChannel(samples, 0);
    const nowSec = context.currentTime;
    this.#offsetSec ??= nowSec + FIRST_WAIT_SEC - epochSec;
    this.#judge(epochSec + this.#offsetSec - nowSec);
    const startSec = epochSec + this.#offsetSec;
    // Sound that is played sooner than before would be heard at the same time as what came before it.
    if (startSec < this.#endSec - SEAM_SEC && startSec > this.#endSec - MAX_WAIT_SEC) return;
    this.#endSec = startSec + buffer.duration;
    const source = new AudioBufferSourceNode(context, { buffer });
    source.connect(gain);
    source.start(startSec);
  }

  /** Keeps the wait of packets as short as the network allows. */
  #judge(waitSec: number): void {
    if (waitSec < 0 || waitSec > MAX_WAIT_SEC) {
      this.#move((waitSec < 0 ? MORE_WAIT_SEC : FIRST_WAIT_SEC) - waitSec);
      return;
    }
    this.#leastWaitSec = Math.min(this.#leastWaitSec, waitSec);
    this.#judgedPackets++;
    if (this.#judgedPackets < JUDGED_PACKETS) return;
    const spareSec = this.#leastWaitSec - this.#pictureWaitSec;
    this.#move(spareSec > LONG_WAIT_SEC ? FIRST_WAIT_SEC - spareSec : 0);
  }

  #move(bySec: number): void {
    this.#offsetSec = (this.#offsetSec ?? 0) + bySec;
    this.#leastWaitSec = Number.POSITIVE_INFINITY;
    this.#judgedPackets = 0;
  }
}

/** Whether the browser can play it. */
export function canPlaySound(): boolean {
  return 'AudioDecoder' in globalThis && 'AudioContext' in globalThis;
}
