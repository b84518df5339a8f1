/** Draws the frames of the synthetic clip: a grainy room, something that moves, a clock and the frame number. */

import { drawFrameNumberStrip, LUMA_BLACK, LUMA_WHITE } from './frame-number-strip.ts';

/** Rows of five pixels, most significant bit left. */
const GLYPHS: Readonly<Record<string, readonly number[]>> = {
  '0': [14, 17, 19, 21, 25, 17, 14],
  '1': [4, 12, 4, 4, 4, 4, 14],
  '2': [14, 17, 1, 6, 8, 16, 31],
  '3': [31, 2, 4, 2, 1, 17, 14],
  '4': [2, 6, 10, 18, 31, 2, 2],
  '5': [31, 16, 30, 1, 1, 17, 14],
  '6': [6, 8, 16, 30, 17, 17, 14],
  '7': [31, 1, 2, 4, 8, 8, 8],
  '8': [14, 17, 17, 14, 17, 17, 14],
  '9': [14, 17, 17, 15, 1, 2, 12],
  ':': [0, 4, 4, 0, 4, 4, 0],
  '.': [0, 0, 0, 0, 0, 12, 12],
  '#': [10, 10, 31, 10, 31, 10, 10],
  ' ': [0, 0, 0, 0, 0, 0, 0],
};
const GLYPH_WIDTH = 5;
const GLYPH_HEIGHT = 7;
/** Strength of the grain: incompressible, so that the encoder uses the bit rate it is given. */
const GRAIN = 14;
const GRAIN_PLANES = 4;
const CHROMA_NEUTRAL = 128;

export class ClipPicture {
  readonly #widthPx: number;
  readonly #heightPx: number;
  readonly #fps: number;
  readonly #frameBytes: Buffer;
  readonly #luma: Uint8Array;
  readonly #cb: Uint8Array;
  readonly #cr: Uint8Array;
  readonly #backgrounds: readonly Uint8Array[];

  /** Width and height are even. */
  constructor(widthPx: number, heightPx: number, fps: number) {
    this.#widthPx = widthPx;
    this.#heightPx = heightPx;
    this.#fps = fps;
    const lumaBytes = widthPx * heightPx;
    this.#frameBytes = Buffer.alloc((lumaBytes * 3) / 2, CHROMA_NEUTRAL);
    this.#luma = this.#frameBytes.subarray(0, lumaBytes);
    this.#cb = this.#frameBytes.subarray(lumaBytes, (lumaBytes * 5) / 4);
    this.#cr = this.#frameBytes.subarray((lumaBytes * 5) / 4);
    this.#backgrounds = Array.from({ length: GRAIN_PLANES }, (_, seed) => this.#background(seed + 1));
  }

  /** The frame as yuv420p (ITU-R BT.601); the buffer is reused by the next call. */
  draw(frame: number): Buffer {
    this.#luma.set(this.#backgrounds[frame % GRAIN_PLANES]!);
    this.#cb.fill(CHROMA_NEUTRAL - 6);
    this.#cr.fill(CHROMA_NEUTRAL + 4);
    this.#walker(frame);
    drawFrameNumberStrip(this.#luma, this.#widthPx, this.#heightPx, frame);
    const scale = Math.max(1, Math.floor(this.#heightPx / 100));
    const top = this.#heightPx - (GLYPH_HEIGHT + 3) * scale;
    this.#text(clockText(frame, this.#fps), 4 * scale, top, scale);
    const number = `#${String(frame).padStart(5, '0')}`;
    this.#text(number, this.#widthPx - (number.length * (GLYPH_WIDTH + 1) + 4) * scale, top, scale);
    return this.#frameBytes;
  }

  /** A lit wall and a floor with grain; every plane has other grain. */
  #background(seed: number): Uint8Array {
    const plane = new Uint8Array(this.#widthPx * this.#heightPx);
    const floor = this.#heightPx * 0.68;
    let random = seed * 2_654_435_761;
    for (let y = 0, at = 0; y < this.#heightPx; y++) {
      const base = y < floor ? 62 + (50 * y) / this.#heightPx : 128 - (40 * (y - floor)) / this.#heightPx;
      for (let x = 0; x < this.#widthPx; x++, at++) {
        random = (Math.imul(random, 1_664_525) + 1_013_904_223) | 0;
        const tile = y >= floor && (((x >> 6) + (y >> 5)) & 1) === 1 ? 14 : 0;
        plane[at] = base + tile + ((random >>> 24) * GRAIN) / 256;
      }
    }
    return plane;
  }

  /** Walks from side to side once in eight seconds. */
  #walker(frame: number): void {
    const size = Math.round(this.#heightPx / 5);
    const phase = (frame / (this.#fps * 8)) % 1;
    const along = phase < 0.5 ? phase * 2 : 2 - phase * 2;
    const left = Math.round(along * (this.#widthPx - size)) & ~1;
    const bounce = Math.abs(Math.sin((frame / this.#fps) * Math.PI * 2)) * size * 0.3;
    const top = Math.round(this.#heightPx * 0.5 - bounce) & ~1;
    this.#disc(left + size / 2, top + size / 2, size / 2);
  }

  #disc(centreX: number, centreY: number, radius: number): void {
    const chromaWidth = this.#widthPx >> 1;
    for (let y = Math.max(0, Math.floor(centreY - radius)); y < centreY + radius && y < this.#heightPx; y++) {
      const half = Math.sqrt(Math.max(0, radius * radius - (y - centreY) ** 2));
      const start = Math.max(0, Math.round(centreX - half));
      const end = Math.min(this.#widthPx, Math.round(centreX + half));
      this.#luma.fill(150, y * this.#widthPx + start, y * this.#widthPx + end);
      if (y % 2 === 1) continue;
      const row = (y >> 1) * chromaWidth;
      this.#cb.fill(84, row + (start >> 1), row + (end >> 1));
      this.#cr.fill(188, row + (start >> 1), row + (end >> 1));
    }
  }

  /** White text on a black box. */
  #text(text: string, left: number, top: number, scale: number): void {
    const boxWidth = (text.length * (GLYPH_WIDTH + 1) + 1) * scale;
    for (let y = top - scale; y < top + (GLYPH_HEIGHT + 1) * scale; y++) {
      this.#luma.fill(
        LUMA_BLACK,
        y * this.#widthPx + left - scale,
        y * this.#widthPx + left - scale + boxWidth,
      );
    }
    for (const [index, character] of [...text].entries()) {
      this.#glyph(GLYPHS[character]!, left + index * (GLYPH_WIDTH + 1) * scale, top, scale);
    }
  }

  #glyph(rows: readonly number[], left: number, top: number, scale: number): void {
    for (let row = 0; row < GLYPH_HEIGHT * scale; row++) {
      const bits = rows[Math.floor(row / scale)]!;
      const start = (top + row) * this.#widthPx + left;
      for (let column = 0; column < GLYPH_WIDTH; column++) {
        if (((bits >> (GLYPH_WIDTH - 1 - column)) & 1) === 0) continue;
        this.#luma.fill(LUMA_WHITE, start + column * scale, start + (column + 1) * scale);
      }
    }
  }
}

/** Media time as `MM:SS.hh`. */
function clockText(frame: number, fps: number): string {
  const hundredths = Math.floor((frame * 100) / fps);
  const pad = (value: number) => String(value).padStart(2, '0');
  return `${pad(Math.floor(hundredths / 6_000))}:${pad(Math.floor(hundredths / 100) % 60)}.${pad(hundredths % 100)}`;
}
