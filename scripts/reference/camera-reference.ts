/** The compatibility matrix of cameras as Markdown, made from the rows of its test and from what that saw. */

import { type MatrixRow, nameOf, ROWS } from '../../test/web/camera-matrix/rows.ts';
import { type Refused, readSeen, type Seen, type SeenFile } from '../../test/web/camera-matrix/seen.ts';

const COLUMNS = {
  engine: 'carried by',
  codecs: 'CODECS',
  page: 'in Chromium',
  hls: 'HLS',
  dash: 'DASH',
  realTime: 'real time',
  still: 'still image',
} as const satisfies Record<keyof Seen, string>;

const PEERS: Readonly<Record<MatrixRow['camera']['peer'], string>> = {
  GStreamer: 'GStreamer',
  ffmpeg: 'ffmpeg',
  'synthetic camera': 'synthetic',
  publisher: 'publisher',
};

const ENGINES = `\`direct\` is the built-in RTSP client, \`rtmp\` the listener for devices that push, \`http\` the built-in
client for HLS. A _worker_ is a jailed ffmpeg: one that carries the camera, one next to it that only turns its sound into AAC, or one
that makes H.264 of Motion JPEG, or of H.265 for viewers who cannot decode it, as this Chromium cannot. The _sound server_ is one jailed
process that encodes AAC for many cameras.`;

const READING = `- **CODECS** is what the Multivariant Playlist offers, one variant after another, video without profile and level.
- **in Chromium** is what the page of a shared link plays, by the type of its source buffers. A row is here only if its picture moves, or
  its sound plays if it has no picture, for 3 seconds or more of media, and for longer where the trouble takes longer to come.
  \`heard\` and \`silent\` are measured where the loudspeakers are.
- **HLS**, **DASH** and **real time** (access units over WebSocket) are downloaded and decoded by ffmpeg with
  \`-err_detect explode\`; \`damaged\` would say that it complains, \`silent\` that nothing is louder than noise. H.265, which Debian's
  Chromium does not play, is judged by this alone.`;

/** The text of `docs/reference/cameras.md`. Throws if a row was never seen, or if a seen row is missing. */
export function renderCameraReference(file: SeenFile = readSeen()): string {
  const names = ROWS.map(nameOf);
  const differing = [
    ...names.filter((name) => file.rows[name] === undefined),
    ...Object.keys(file.rows).filter((name) => !names.includes(name)),
  ];
  if (differing.length > 0)
    throw new Error(
      `not in both rows.ts and seen.json: ${differing.join('; ')}. Run \`npm run camera-matrix\`.`,
    );
  const seen = ROWS.map((row) => [row, file.rows[nameOf(row)]!] as const);
  const plays = seen.filter((each): each is [MatrixRow, Seen] => !('code' in each[1]));
  const fails = seen.filter((each): each is [MatrixRow, Refused] => 'code' in each[1]);
  const ordinary = plays.filter(([{ fault }]) => fault === '');
  const troubled = plays.filter(([{ fault }]) => fault !== '');
  const versions = Object.entries(file.peers).map(([name, version]) => `${name} ${version}`);
  return `${[
    '# Cameras',
    `Generated from a test run: \`test/web/camera-matrix\` starts the camera of each row, lets one gateway carry it, and watches it in
Chromium. \`npm run camera-matrix\` rewrites this page; \`npm run long\` runs all rows and fails, naming row and column, if it sees
anything else. Last written with ${versions.join(', ')}, all Debian's. The [guide](../guide/cameras.md) says how to set cameras up.`,
    `The cameras: GStreamer's RTSP server, ffmpeg as encoder and server, the _synthetic_ camera that comes with Sluice, for faults on purpose,
and a _publisher_ of our own for what ffmpeg does not push (H.265 by RTMP before version 6.1, AV1).`,
    '## What plays',
    ENGINES,
    READING,
    tableOf(ordinary, false),
    '## What plays in spite of trouble',
    tableOf(troubled, true),
    '## What does not play',
    'The code is in the log and in `connectionDetail.code`; [errors.md](errors.md) says what each means.',
    refusals(fails),
  ].join('\n\n')}\n`;
}

function tableOf(rows: readonly (readonly [MatrixRow, Seen])[], isTroubled: boolean): string {
  const given = ['video', 'audio', 'way in', ...(isTroubled ? ['trouble'] : []), 'settings', 'camera'];
  const cells = rows.map(([row, seen]) => [
    ...givenCells(row, isTroubled),
    ...Object.keys(COLUMNS).map((column) => seen[column as keyof Seen]),
  ]);
  return table([...given, ...Object.values(COLUMNS)], cells);
}

function refusals(rows: readonly (readonly [MatrixRow, Refused])[]): string {
  const cells = rows.map(([row, { code, answer }]) => [...givenCells(row, false), `\`${code}\``, answer]);
  return table(['video', 'audio', 'way in', 'settings', 'camera', 'code', 'viewers get'], cells);
}

function givenCells(row: MatrixRow, isTroubled: boolean): string[] {
  const settings = Object.entries(row.settings ?? {}).map(([key, value]) => `\`${key}: ${value}\``);
  const trouble = isTroubled ? [row.fault] : [];
  return [row.video, row.sound, row.way, ...trouble, settings.join(' '), PEERS[row.camera.peer]];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
