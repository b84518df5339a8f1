/** Runs on the browser's audio thread: hands what a microphone records to the page, in blocks. It imports nothing: it is served as it is. */

export {};

/** The parts of the thread's world that are used; the library of types knows only that of pages. */
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: typeof AudioWorkletProcessor): void;

/** Some 10 ms: a message for each 128 samples would wake the page more than needed. */
const BLOCK_SAMPLES = 512;

class TalkCapture extends AudioWorkletProcessor {
  #block = new Float32Array(BLOCK_SAMPLES);
  #filled = 0;

  process([channels]: Float32Array[][]): boolean {
    const samples = channels?.[0];
    if (samples === undefined) return true;
    this.#block.set(samples, this.#filled);
    this.#filled += samples.length;
    if (this.#filled < BLOCK_SAMPLES) return true;
    this.port.postMessage(this.#block, [this.#block.buffer]);
    this.#block = new Float32Array(BLOCK_SAMPLES);
    this.#filled = 0;
    return true;
  }
}

registerProcessor('talk-capture', TalkCapture);
