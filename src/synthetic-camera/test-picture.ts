/**
 * The synthetic camera's pictures, yuv420p: gray steps over color bars, a moving box, media time and frame number in
 * digits, the number as a strip, and a band of noise that makes the encoder use its full bit rate.
 */

import { drawText, fillRect, GLYPH_ADVANCE, type LumaPlane, textHeightPx } from './bitmap-font.ts';
import { drawFrameNumberStrip, stripRows } from './frame-number-strip.ts';

export interface TestPictureOptions {
  /** Even. */
  readonly widthPx: number;
  /** Even. */
  readonly heightPx: number;
  readonly fps: number;
  readonly bitrateBitsPerSec: number;
}

/** Cb and Cr of the bars: white, yellow, cyan, green, magenta, red, blue (ITU-R BT.601, 75%). */
const BARS = [
  [128, 128],
  [44, 142],
  [156, 44],
  [72, 58],
  [184, 198],
  [100, 212],
  [212, 114],
] as const;
/** As fractions of the picture's height. */
const BARS_TOP = 0.35;
const BARS_BOTTOM = 0.55;
const NEUTRAL_CHROMA = 128;
const DARKEST_LUMA = 60;
const LUMA_STEP = 20;
const TEXT_LUMA = 235;
const TEXT_BACKGROUND_LUMA = 16;
const BOX_LUMA = 200;
/** Approximate cost of a noise pixel, at the resulting quality of the rest. */
const BITS_PER_NOISE_PIXEL = 3;
const MAX_NOISE_HEIGHT = 0.4;
/** Seconds that the box takes to cross the picture. */
const BOX_PERIOD_SEC = 4;

export class TestPicture {
  readonly #fps: number;
  readonly #background: Buffer;
  readonly #plane: LumaPlane;
  readonly #picture: Buffer;
  readonly #noise: Buffer;
  readonly #noiseHeightPx: number;
  readonly #random = new Xorshift();

  constructor(options: TestPictureOptions) {
    const { widthPx, heightPx, fps } = options;
    this.#fps = fps;
    this.#background = makeBackground(widthPx, heightPx);
    this.#picture = Buffer.alloc(this.#background.length);
    this.#plane = { bytes: this.#picture, widthPx, heightPx };
    const noisePixels = options.bitrateBitsPerSec / fps / BITS_PER_NOISE_PIXEL;
    const wantedPx = Math.min(Math.round(noisePixels / widthPx), Math.round(heightPx * MAX_NOISE_HEIGHT));
    this.#noiseHeightPx = Math.max(0, wantedPx);
    this.#noise = Buffer.alloc(widthPx * 64);
    for (let at = 0; at < this.#noise.length; at++) this.#noise[at] = 64 + (this.#random.next() & 0x7f);
  }

  /** Bytes of one picture: Y, then Cb and Cr at half the size. */
  get pictureBytes(): number {
    return this.#picture.length;
  }

  /** Picture `frameNumber`; borrowed, because the next call draws over it. */
  draw(frameNumber: number): Buffer {
    this.#background.copy(this.#picture);
    this.#drawBox(frameNumber);
    this.#drawClock(frameNumber);
    this.#drawNoise();
    drawFrameNumberStrip(this.#picture, this.#plane.widthPx, this.#plane.heightPx, frameNumber);
    return this.#picture;
  }

  #drawBox(frameNumber: number): void {
    const { widthPx, heightPx } = this.#plane;
    const sizePx = Math.max(8, Math.round(heightPx / 8));
    const phase = (frameNumber / this.#fps / BOX_PERIOD_SEC) % 1;
    const x = Math.round((widthPx - sizePx) * (phase < 0.5 ? phase * 2 : 2 - phase * 2));
    fillRect(this.#plane, x, Math.round(heightPx * 0.6), sizePx, sizePx, BOX_LUMA);
  }

  #drawClock(frameNumber: number): void {
    const { widthPx, heightPx } = this.#plane;
    const text = `${clockText(frameNumber, this.#fps)} #${String(frameNumber).padStart(5, '0')}`;
    const dotPx = Math.max(1, Math.floor((widthPx * 0.8) / (text.length * GLYPH_ADVANCE)));
    const textWidthPx = text.length * GLYPH_ADVANCE * dotPx;
    const x = Math.round((widthPx - textWidthPx) / 2);
    const y = stripRows(heightPx) + 4 * dotPx;
    const height = textHeightPx(dotPx) + 4 * dotPx;
    fillRect(
      this.#plane,
      x - 2 * dotPx,
      y - 2 * dotPx,
      textWidthPx + 3 * dotPx,
      height,
      TEXT_BACKGROUND_LUMA,
    );
    drawText(this.#plane, text, x, y, dotPx, TEXT_LUMA);
  }

  #drawNoise(): void {
    const { bytes, widthPx, heightPx } = this.#plane;
    for (let row = heightPx - this.#noiseHeightPx; row < heightPx; row++) {
      const from = this.#random.next() % (this.#noise.length - widthPx);
      this.#noise.copy(bytes, row * widthPx, from, from + widthPx);
    }
  }
}

/** Media time as `mm:ss.mmm`. */
function clockText(frameNumber: number, fps: number): string {
  const ms = Math.floor((frameNumber * 1_000) / fps);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${two(Math.floor(ms / 60_000))}:${two(Math.floor(ms / 1_000) % 60)}.${String(ms % 1_000).padStart(3, '0')}`;
}

function makeBackground(widthPx: number, heightPx: number): Buffer {
  const lumaBytes = widthPx * heightPx;
  const chromaWidthPx = widthPx / 2;
  const chromaHeightPx = heightPx / 2;
  const chromaBytes = chromaWidthPx * chromaHeightPx;
  const picture = Buffer.alloc(lumaBytes + 2 * chromaBytes, NEUTRAL_CHROMA);
  const plane: LumaPlane = { bytes: picture, widthPx, heightPx };
  BARS.forEach(([cb, cr], bar) => {
    const left = Math.round((chromaWidthPx * bar) / BARS.length);
    const right = Math.round((chromaWidthPx * (bar + 1)) / BARS.length);
    fillRect(plane, left * 2, 0, (right - left) * 2, heightPx, DARKEST_LUMA + bar * LUMA_STEP);
    // Color would change what a screenshot shows as black and white, so strip and digits above have none.
    for (let row = Math.floor(chromaHeightPx * BARS_TOP); row < chromaHeightPx * BARS_BOTTOM; row++) {
      const at = lumaBytes + row * chromaWidthPx;
      picture.fill(cb, at + left, at + right);
      picture.fill(cr, at + chromaBytes + left, at + chromaBytes + right);
    }
  });
  return picture;
}

/** Repeatable noise: the same parameters make the same clip. */
class Xorshift {
  #state = 0x9e37_79b9;

  next(): number {
    let state = this.#state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state >>> 0;
    return this.#state;
  }
}
