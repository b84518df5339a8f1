/** Video and stills with privacy masks: every frame decoded, and how bright it is in an area. */

import { spawnSync } from 'node:child_process';
import sharp from 'sharp';

/** In ten-thousandths of the picture. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface LumaFrames {
  readonly frames: readonly Buffer[];
  readonly widthPx: number;
  readonly heightPx: number;
}

/** Black, with what encoding adds. */
const MAX_BLACK = 22;
const WHOLE: Area = { left: 0, top: 0, right: 10_000, bottom: 10_000 };

/** As the API takes it. */
export function maskOf({ left, top, right, bottom }: Area): object {
  const corner = (x: number, y: number) => ({ x, y });
  return {
    name: '',
    points: [corner(left, top), corner(right, top), corner(right, bottom), corner(left, bottom)],
  };
}

/** Every frame of a file. `format`: if ffmpeg cannot tell. Throws if the decoder complains. */
export function decodeFrames(file: Buffer, format?: string): LumaFrames {
  const input = ['-v', 'error', ...(format === undefined ? [] : ['-f', format]), '-i', 'pipe:0'];
  const size = ['-select_streams', 'v', '-show_entries', 'stream=width,height', '-of', 'csv=p=0'];
  const probed = spawnSync('ffprobe', [...size, ...input], { input: file }).stdout.toString();
  const [widthPx, heightPx] = probed.trim().split(',').map(Number) as [number, number];
  const output = ['-map', '0:v', '-vsync', 'passthrough', '-f', 'rawvideo', '-pix_fmt', 'gray', '-'];
  const { stdout, stderr } = spawnSync('ffmpeg', [...input, ...output], { input: file, maxBuffer: 1e9 });
  if (stderr.length > 0) throw new Error(stderr.toString());
  return { frames: split(stdout, widthPx * heightPx), widthPx, heightPx };
}

export async function decodeStill(image: Buffer): Promise<LumaFrames> {
  const decoded = await sharp(image).greyscale().raw().toBuffer({ resolveWithObject: true });
  const { width: widthPx, height: heightPx, channels } = decoded.info;
  return { frames: [Buffer.from(decoded.data.filter((_, at) => at % channels === 0))], widthPx, heightPx };
}

/** Whether the area is black in every frame, and nothing else is. */
export function isBlackIn(video: LumaFrames, area: Area): boolean {
  return video.frames.every(
    (frame) => brightest(frame, video, area) <= MAX_BLACK && brightest(frame, video, WHOLE) > 100,
  );
}

function brightest(frame: Buffer, { widthPx, heightPx }: LumaFrames, area: Area): number {
  const at = (share: number, px: number): number => Math.floor((share * px) / 10_000);
  let most = 0;
  for (let y = at(area.top, heightPx); y < at(area.bottom, heightPx); y++) {
    for (let x = at(area.left, widthPx); x < at(area.right, widthPx); x++) {
      most = Math.max(most, frame[y * widthPx + x]!);
    }
  }
  return most;
}

function split(bytes: Buffer, frameBytes: number): Buffer[] {
  return Array.from({ length: Math.floor(bytes.length / frameBytes) }, (_, at) =>
    bytes.subarray(at * frameBytes, (at + 1) * frameBytes),
  );
}
