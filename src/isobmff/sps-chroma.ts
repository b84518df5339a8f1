/** The sample format that `avcC` repeats from the SPS of a High profile. ISO/IEC 14496-10 §7.3.2.1.1. */

export interface ChromaFormat {
  /** chroma_format_idc: 0 monochrome, 1 4:2:0, 2 4:2:2, 3 4:4:4. */
  readonly chromaFormat: number;
  readonly lumaBitDepth: number;
  readonly chromaBitDepth: number;
}

/** Profiles whose SPS, and therefore `avcC`, carries the format. ISO/IEC 14496-15 §5.3.3.1.2. */
const PROFILES_WITH_CHROMA_FORMAT = new Set([100, 110, 122, 144, 244]);
const PROFILE_BYTE = 1;
const FIRST_EXP_GOLOMB_BYTE = 4;
const MAX_LEADING_ZEROS = 16;

/** null for profiles without such fields, and for an SPS too short to have them. `sps` begins with its NAL header. */
export function readChromaFormat(sps: Uint8Array): ChromaFormat | null {
  if (!PROFILES_WITH_CHROMA_FORMAT.has(sps[PROFILE_BYTE] ?? 0)) return null;
  const reader = new SpsReader(sps);
  reader.expGolomb(); // seq_parameter_set_id
  const chromaFormat = reader.expGolomb();
  if (chromaFormat === 3) reader.bit(); // separate_colour_plane_flag
  const lumaBitDepth = 8 + reader.expGolomb();
  const chromaBitDepth = 8 + reader.expGolomb();
  if (reader.isPastEnd || chromaFormat > 3 || lumaBitDepth > 14 || chromaBitDepth > 14) return null;
  return { chromaFormat, lumaBitDepth, chromaBitDepth };
}

/** Bits of an SPS after its level, without emulation prevention bytes (§7.4.1). Past the end it reads ones. */
class SpsReader {
  readonly #sps: Uint8Array;
  #byte = FIRST_EXP_GOLOMB_BYTE;
  #bit = 0;

  constructor(sps: Uint8Array) {
    this.#sps = sps;
  }

  get isPastEnd(): boolean {
    return this.#byte > this.#sps.length || (this.#byte === this.#sps.length && this.#bit > 0);
  }

  bit(): number {
    const value = ((this.#sps[this.#byte] ?? 0xff) >> (7 - this.#bit)) & 1;
    this.#bit++;
    if (this.#bit === 8) this.#nextByte();
    return value;
  }

  expGolomb(): number {
    let zeros = 0;
    while (zeros < MAX_LEADING_ZEROS && this.bit() === 0) zeros++;
    let value = 1;
    for (let i = 0; i < zeros; i++) value = value * 2 + this.bit();
    return value - 1;
  }

  #nextByte(): void {
    this.#bit = 0;
    this.#byte++;
    const sps = this.#sps;
    if (sps[this.#byte] === 3 && sps[this.#byte - 1] === 0 && sps[this.#byte - 2] === 0) this.#byte++;
  }
}
