/** The cameras of a scan, and the work on them: searching, checking, adding. All of it ends when the page is left. */

import { useEffect, useState } from 'preact/hooks';
import { type CameraPlace, type Login, type NewSource, scanNetwork } from '../camera-adding.ts';
import { eachInTurn, type Progress } from '../in-turn.ts';
import {
  addChecked,
  type Checked,
  checkCamera,
  choseAll,
  mergedRows,
  newRow,
  type OnvifRow,
  type OnvifStep,
  rowName,
  tryProfile,
} from '../onvif-rows.ts';
import { useAction } from './use-action.ts';

/** As many parallel probes as the gateway makes for one organization. */
const AT_ONCE = 2;

export type Together = Omit<CameraPlace, 'name'> & Pick<NewSource, 'audio'>;

export function useOnvifRows() {
  const [rows, setRows] = useState<readonly OnvifRow[]>([]);
  const [isWorking, setIsWorking] = useState(false);
  const [left] = useState(() => new AbortController());
  const { signal } = left;
  const scan = useScan(signal, (found) => setRows((old) => mergedRows(old, found)));
  useEffect(() => () => left.abort(), []);
  const change = (address: string, update: Partial<OnvifRow>) =>
    setRows((old) => old.map((row) => (row.found.address === address ? { ...row, ...update } : row)));

  /** Resolves with false if the page was left in the meantime. */
  const work = async <Result>(
    wanted: readonly OnvifRow[],
    each: (row: OnvifRow) => Promise<Result>,
    onProgress: (row: OnvifRow, progress: Progress<Result>) => void,
  ): Promise<boolean> => {
    setIsWorking(true);
    await eachInTurn(wanted, { atOnce: AT_ONCE, signal }, each, onProgress);
    if (signal.aborted) return false;
    setIsWorking(false);
    return true;
  };
  const showCheck = ({ found: { address } }: OnvifRow, progress: Progress<OnvifStep>) =>
    change(address, { step: checkStep(progress) });

  return {
    rows,
    isWorking,
    scan,
    change,
    chooseAll: (isChosen: boolean) => setRows((old) => choseAll(old, isChosen)),
    put: (address: string) =>
      setRows((old) => {
        if (old.some(({ found }) => found.address === address)) return old;
        return [...old, newRow({ address, https: false, known: false }, true)];
      }),
    /** Resolves with how many refused the login; null if the page was left. */
    check: async (wanted: readonly OnvifRow[], login: Login): Promise<number | null> => {
      let refused = 0;
      const isHere = await work(
        wanted,
        ({ found }) => checkCamera(found, login, signal),
        (row, progress) => {
          if (progress.kind === 'done' && progress.result.kind === 'failed' && progress.result.isLogin) {
            refused += 1;
          }
          showCheck(row, progress);
        },
      );
      return isHere ? refused : null;
    },
    /** Tries another of its streams. */
    tryOther: async (row: OnvifRow, checked: Checked, profileToken: string): Promise<void> => {
      const profile = checked.response.profiles.find((each) => each.profileToken === profileToken)!;
      await work([row], () => tryProfile({ ...checked, profile }, signal), showCheck);
    },
    /** Resolves with the UUIDs of those that were added; null if the page was left. */
    add: async (wanted: readonly OnvifRow[], together: Together): Promise<readonly string[] | null> => {
      const added: string[] = [];
      const isHere = await work(
        wanted.flatMap((row) => (row.step.kind === 'ready' ? [row] : [])),
        (row) => addChecked(row, row.step as Checked & OnvifStep, together, signal),
        (row, progress) => {
          if (progress.kind === 'done') added.push(progress.result);
          const name = rowName(row);
          change(row.found.address, { name, step: addStep(row.step as Checked & OnvifStep, progress) });
        },
      );
      return isHere ? added : null;
    },
  };
}

function checkStep(progress: Progress<OnvifStep>): OnvifStep {
  switch (progress.kind) {
    case 'waiting':
      return progress;
    case 'running':
      return { kind: 'checking' };
    case 'failed':
      return { kind: 'failed', sentence: progress.error.message, isLogin: false };
    case 'done':
      return progress.result;
  }
}

function addStep(checked: Checked, progress: Progress<string>): OnvifStep {
  switch (progress.kind) {
    case 'waiting':
    case 'running':
      return { ...checked, kind: 'adding' };
    case 'failed':
      return { ...checked, kind: 'ready', refusal: progress.error.message };
    case 'done':
      return { kind: 'added', cameraUuid: progress.result };
  }
}

/** Looks once when the page is opened, and again when someone asks for it. */
function useScan(signal: AbortSignal, onFound: (found: Awaited<ReturnType<typeof scanNetwork>>) => void) {
  const { isBusy, error, run } = useAction();
  const start = () =>
    void run(async () => {
      const found = await scanNetwork(signal).catch((thrown: unknown) => {
        if (signal.aborted) return [];
        throw thrown;
      });
      if (!signal.aborted) onFound(found);
    });
  useEffect(start, []);
  return { isBusy, error, start };
}
