/** The loudspeaker of a camera, for code that lets people talk through it. */

import type { GatewayError } from '../../core/errors.ts';

/** Called later, and never after `close`. */
export interface SpeakerEvents {
  /** What is written is heard. */
  onOpen(): void;
  /** The camera has no speaker, or cannot be reached; nothing more is heard. Called once. */
  onEnded(error: GatewayError): void;
}

export interface SpeakerLine {
  /** 20 ms of sound: 960 samples of 48 kHz, borrowed. Sound that comes before the line is open is kept for a moment. */
  write(samples: Int16Array): void;
  /** Idempotent. */
  close(): void;
}

export interface LiveSpeaker {
  open(events: SpeakerEvents): SpeakerLine;
}
