/** kill -9, round after round, while the same process records, takes uploads and splices; each checks the one before. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { newRuuid } from '../../../src/core/ruuid.ts';
import { clipFile, decodedFrames, h264With } from '../clip-files.ts';
import type { Acknowledgement, Ground, Round, StartReport, Task } from './acknowledged.ts';
import { clipsInProgress } from './checks.ts';

const PROCESS = join(import.meta.dirname, 'killed-process.ts');
/** To start and to check, and for each round that is checked. */
const STARTED_WITHIN_MS = 60_000;
const CHECKED_WITHIN_MS = 5_000;
/** Every so many rounds, the process is killed before it has repaired the leftovers of the previous one. */
const EARLY_EVERY = 5;
const MAX_DECODED = 20;
const HOURS_48_MS = 48 * 3_600_000;

export interface KillOptions {
  readonly rounds: number;
  /** Limit on acknowledgements before the kill. Not a time: a busy machine gets as far as an idle one. */
  readonly maxAcknowledged: number;
  readonly onRound?: (number: number, faults: readonly string[]) => void;
}

export interface KillReport {
  readonly rounds: number;
  /** Kills that fell into an upload's bytes, an import, or a splice; into recording fall all that are not early. */
  readonly duringUpload: number;
  readonly duringImport: number;
  readonly duringSplice: number;
  readonly duringStart: number;
  readonly segments: number;
  readonly uploads: number;
  readonly splices: number;
  readonly checked: number;
  /** Spliced clips that ffmpeg decoded in the end. */
  readonly decoded: number;
  readonly faults: readonly string[];
  /** The longest. */
  readonly repairMs: number;
  readonly resumeMs: number;
}

/** Rejects if a process fails before it is killed. */
export async function killRounds({ rounds, maxAcknowledged, onRound }: KillOptions): Promise<KillReport> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-kills-'));
  try {
    const clipPath = join(folder, 'clip.mp4');
    writeFileSync(clipPath, clipFile({ seconds: 4, size: '640x480', codecs: h264With('-qp 12') }));
    const ground: Ground = {
      folder,
      clipPath,
      baseMs: Date.now() - HOURS_48_MS,
      orgUuid: newRuuid(),
      keyUuid: newRuuid(),
      cameraUuid: newRuuid(),
      uploadingUuid: newRuuid(),
    };
    const all: Round[] = [];
    const starts: StartReport[] = [];
    let before: Round[] = [];
    let early = 0;
    for (let number = 0; number < rounds; number++) {
      const isEarly = number % EARLY_EVERY === EARLY_EVERY - 1;
      // Spread over the work, the same in every run.
      const share = ((number * 37) % 100) / 100;
      // Recordings of both kinds lie side by side.
      const task = { ground, before, number, isEncrypting: number % 2 === 1 };
      const killed = await runAndKill(
        task,
        isEarly ? { startMs: 100 + 300 * share } : { acknowledged: Math.floor(maxAcknowledged * share) },
      );
      const round = { number, acknowledged: killed.acknowledged };
      all.push(round);
      if (killed.started === null) {
        early++;
        before = [...before, round];
      } else {
        starts.push(killed.started);
        before = [round];
      }
      onRound?.(number, killed.started?.faults ?? []);
    }
    const last = await runAndKill({ ground, before: all, number: null, isEncrypting: false }, null);
    starts.push(last.started!);
    return report(all, starts, early, decodeSome(join(folder, 'media', 'clips')));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Throws if ffmpeg finds a fault. */
function decodeSome(folder: string): number {
  if (!existsSync(folder)) return 0;
  const files = readdirSync(folder).flatMap((clip) =>
    readdirSync(join(folder, clip))
      .filter((name) => name.endsWith('.mp4'))
      .map((name) => join(folder, clip, name)),
  );
  const some = files.filter((_, index) => index % Math.ceil(files.length / MAX_DECODED) === 0);
  for (const path of some) decodedFrames(readFileSync(path));
  return some.length;
}

interface Killed {
  readonly acknowledged: readonly Acknowledgement[];
  /** null: it was killed before. */
  readonly started: StartReport | null;
}

/** `when`: after the start of the process, or when it has acknowledged so much; null: it ends on its own. */
async function runAndKill(
  task: Task,
  when: { readonly startMs: number } | { readonly acknowledged: number } | null,
): Promise<Killed> {
  const path = join(task.ground.folder, 'task.json');
  writeFileSync(path, JSON.stringify(task));
  const child = spawn(process.execPath, [PROCESS, path], { stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const acknowledged: Acknowledgement[] = [];
  let started: StartReport | null = null;
  let complaint = '';
  const timer = setTimeout(
    () => child.kill('SIGKILL'),
    when !== null && 'startMs' in when
      ? when.startMs
      : STARTED_WITHIN_MS + task.before.length * CHECKED_WITHIN_MS,
  );
  child.stderr.on('data', (chunk: Buffer) => {
    complaint += chunk;
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    let said: Acknowledgement | StartReport;
    try {
      said = JSON.parse(line);
    } catch {
      // Cut off by the kill.
      return;
    }
    if (said.what === 'started') started = said;
    else acknowledged.push(said);
    const isEnough = when !== null && 'acknowledged' in when && acknowledged.length >= when.acknowledged;
    if (isEnough) child.kill('SIGKILL');
  });
  const [code, signal] = await closed;
  clearTimeout(timer);
  const isAsExpected = when === null ? code === 0 : signal === 'SIGKILL';
  const isLate = started === null && (when === null || 'acknowledged' in when);
  if (!isAsExpected || isLate) {
    throw new Error(`the process of round ${task.number} ended with ${signal ?? code}: ${complaint}`);
  }
  return { acknowledged, started };
}

function report(
  all: readonly Round[],
  starts: readonly StartReport[],
  early: number,
  decoded: number,
): KillReport {
  const during = { upload: 0, import: 0, splice: 0 };
  const counted = { segment: 0, uploaded: 0, spliced: 0, parts: 0, offset: 0, ordered: 0 };
  for (const round of all) {
    for (const { what } of round.acknowledged) counted[what]++;
    const clips = [...clipsInProgress(round).values()];
    const open = clips.find(({ isDone }) => !isDone);
    // The last piece is acknowledged when all bytes are there; what follows is the import.
    const full = Math.max(0, ...clips.filter(({ isDone }) => isDone).map(({ offset }) => offset));
    if (open !== undefined) during[full > 0 && open.offset === full ? 'import' : 'upload']++;
    const ordered = round.acknowledged.filter(({ what }) => what === 'ordered').length;
    if (ordered > round.acknowledged.filter(({ what }) => what === 'spliced').length) during.splice++;
  }
  return {
    rounds: all.length,
    duringUpload: during.upload,
    duringImport: during.import,
    duringSplice: during.splice,
    duringStart: early,
    segments: counted.segment,
    uploads: counted.uploaded,
    splices: counted.spliced,
    checked: starts.reduce((sum, { checked }) => sum + checked, 0),
    decoded,
    faults: starts.flatMap(({ faults }) => faults),
    repairMs: Math.max(...starts.map(({ repairMs }) => repairMs)),
    resumeMs: Math.max(...starts.map(({ resumeMs }) => resumeMs)),
  };
}
