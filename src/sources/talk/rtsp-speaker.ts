/**
 * The loudspeaker of a camera that is read over RTSP. Each talk has a connection of its own: cameras take the sound over one that
 * requires the back channel, whatever carries their video. It is opened for the first sound, and closed with the talk.
 */

import { randomInt } from 'node:crypto';
import { g711Code } from '../../codec/pcm/g711-encoder.ts';
import { SpeechDecimator } from '../../codec/pcm/speech-decimator.ts';
import type { Clock, TimerHandle } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import type { CredentialUrl } from '../../core/secret.ts';
import { G711Packetizer } from '../../rtp/g711-packetizer.ts';
import { BackChannelSession } from '../../rtsp/back-channel-session.ts';
import type { BackChannelTrack } from '../../rtsp/back-channel-track.ts';
import type { LiveSpeaker, SpeakerEvents, SpeakerLine } from '../../stream/media/live-speaker.ts';
import { RtspConnection } from '../direct/rtsp-connection.ts';
import type { AddressRule } from '../network/camera-address.ts';
import { cameraRoute } from '../network/camera-route.ts';
import { DIRECT_ERRORS } from '../network/errors.ts';
import type { TlsTrust } from '../network/tls-trust.ts';

export interface RtspSpeakerOptions {
  readonly url: CredentialUrl;
  readonly tls: TlsTrust;
  readonly addressRule: AddressRule;
  readonly clock: Clock;
}

const LIMITS = { stepMs: 5_000, handshakeMs: 10_000 };
/** What was said while the connection was opened, at most: more would be heard too late. */
const MAX_EARLY_FRAMES = 10;
const MAX_UINT32 = 2 ** 32;

/** null: only cameras that are reached over RTSP, and not through a tunnel, have a way to their speaker. */
export function rtspSpeaker(options: RtspSpeakerOptions): LiveSpeaker | null {
  const route = cameraRoute(options.url, 'tcp');
  if (route === null || route.tunnel !== null) return null;
  return { open: (events) => new RtspSpeakerLine(options, events) };
}

class RtspSpeakerLine implements SpeakerLine {
  readonly #events: SpeakerEvents;
  readonly #clock: Clock;
  readonly #session: BackChannelSession;
  readonly #connection: RtspConnection;
  readonly #decimator = new SpeechDecimator();
  readonly #early: Int16Array[] = [];
  #sender: { readonly packetizer: G711Packetizer; readonly track: BackChannelTrack } | null = null;
  #timer: TimerHandle | null = null;
  #isOver = false;

  constructor({ url, tls, addressRule, clock }: RtspSpeakerOptions, events: SpeakerEvents) {
    this.#events = events;
    this.#clock = clock;
    const { host, port, isTls, rtspUrl } = cameraRoute(url, 'tcp')!;
    this.#session = new BackChannelSession({
      url: rtspUrl,
      limits: LIMITS,
      events: {
        onSend: (bytes) => this.#write(bytes),
        onOpen: (track) => this.#open(track),
        onFailed: (error) => this.#fail(error),
      },
    });
    this.#connection = new RtspConnection(
      { host, port, tls: isTls ? tls : null, addressRule },
      {
        onConnected: () => {
          this.#session.start(clock.monoMs());
          this.#arm();
        },
        onBytes: (chunk) => {
          this.#session.push(chunk, clock.monoMs());
          this.#arm();
        },
        onLost: (error) => this.#fail(error),
      },
    );
    this.#timer = clock.after(LIMITS.handshakeMs, () =>
      this.#fail(new GatewayError(DIRECT_ERRORS.DIRECT_UNREACHABLE, { reason: 'timeout' })),
    );
  }

  write(samples: Int16Array): void {
    if (this.#isOver) return;
    if (this.#sender !== null) this.#send(samples);
    else {
      this.#early.push(Int16Array.from(samples));
      if (this.#early.length > MAX_EARLY_FRAMES) this.#early.shift();
    }
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#timer?.cancel();
    this.#session.teardown();
    this.#connection.finish();
  }

  #open(track: BackChannelTrack): void {
    const packetizer = new G711Packetizer(track.payloadType, randomInt(MAX_UINT32), randomInt(MAX_UINT32));
    this.#sender = { packetizer, track };
    this.#events.onOpen();
    for (const samples of this.#early.splice(0)) this.#send(samples);
  }

  #send(samples: Int16Array): void {
    const { packetizer, track } = this.#sender!;
    const speech = new Int16Array(samples.length);
    const count = this.#decimator.decimate(samples, speech);
    const codes = Uint8Array.from(speech.subarray(0, count), (sample) => g711Code(track.law, sample));
    this.#session.sendRtp(packetizer.packet(codes));
  }

  /** A camera that does not read what it is sent cannot be talked to. */
  #write(bytes: Uint8Array): void {
    if (!this.#connection.write(bytes)) {
      this.#fail(new GatewayError(DIRECT_ERRORS.DIRECT_DISCONNECTED, { reason: 'unread' }));
    }
  }

  #arm(): void {
    this.#timer?.cancel();
    this.#timer = null;
    const { wakeAtMonoMs } = this.#session;
    if (this.#isOver || wakeAtMonoMs === Number.POSITIVE_INFINITY) return;
    this.#timer = this.#clock.after(Math.max(0, wakeAtMonoMs - this.#clock.monoMs()), () => {
      this.#session.wake(this.#clock.monoMs());
      this.#arm();
    });
  }

  #fail(error: GatewayError): void {
    if (this.#isOver) return;
    this.close();
    this.#events.onEnded(error);
  }
}
