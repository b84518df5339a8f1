/** The microphone of this device, from the moment that someone talks until they stop. */

import type { Microphone, TalkProblem } from './talk-line.ts';

const WANTED: MediaTrackConstraints = {
  channelCount: 1,
  echoCancellation: true,
  noiseSuppression: true,
  autoGainControl: true,
};

/** Browsers give microphones only to pages that nobody on the way can change. */
export function hasMicrophones(): boolean {
  return isSecureContext && 'mediaDevices' in navigator && 'AudioWorkletNode' in globalThis;
}

/** Why a microphone cannot be opened, by what `openMicrophone` rejects with. */
export function microphoneProblem(error: unknown): TalkProblem {
  const name = error instanceof DOMException ? error.name : '';
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'microphone-refused';
  if (name === 'NotFoundError') return 'microphone-missing';
  return 'microphone-failed';
}

/** The browser may ask the person first. `captureUrl`: of talk-capture.ts. `onSamples`: -1 to 1, at `rateHz`. `onEnd`: it was taken away. */
export async function openMicrophone(
  captureUrl: URL,
  onSamples: (samples: Float32Array, rateHz: number) => void,
  onEnd: () => void,
): Promise<Microphone> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: WANTED });
  const context = new AudioContext({ latencyHint: 'interactive' });
  const close = () => {
    for (const track of stream.getTracks()) track.stop();
    void context.close();
  };
  try {
    await context.audioWorklet.addModule(captureUrl);
    const capture = new AudioWorkletNode(context, 'talk-capture', {
      channelCount: 1,
      channelCountMode: 'explicit',
    });
    // It plays nothing; but browsers run only what leads to the loudspeakers.
    capture.connect(context.destination);
    capture.port.onmessage = ({ data }) => onSamples(data as Float32Array, context.sampleRate);
    for (const track of stream.getTracks()) track.addEventListener('ended', onEnd);
    new MediaStreamAudioSourceNode(context, { mediaStream: stream }).connect(capture);
    await context.resume();
  } catch (error) {
    close();
    throw error;
  }
  return { close };
}
