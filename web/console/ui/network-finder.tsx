/** Cameras that answer an ONVIF scan: log in to several, see what they are, and add them in one go. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { type CameraPlace, type Choices, type Login, NO_PLACE, scanNetwork } from '../camera-adding.ts';
import { cameraPlace } from '../camera-places.ts';
import { eachInTurn } from '../in-turn.ts';
import {
  addChecked,
  type Checked,
  checkCamera,
  choseAll,
  isAddable,
  isCheckable,
  MAX_ROWS,
  mergedRows,
  newRow,
  type OnvifRow,
  type OnvifStep,
  rowName,
  tryProfile,
} from '../onvif-rows.ts';
import { PlaceFields } from './camera-place-fields.tsx';
import { Check, ChoiceField } from './choice.tsx';
import { TextField } from './field.tsx';
import { ChangeError, useChange } from './form-dialog.tsx';
import { LoginFields } from './login-fields.tsx';
import { OnvifRowView } from './onvif-row-view.tsx';

/** As many probes as the gateway makes for one organization at once. */
const AT_ONCE = 2;
const NO_LOGIN: Login = { username: '', password: '' };

export function NetworkFinder({ choices }: { readonly choices: Choices }) {
  const { route } = useLocation();
  const [rows, setRows] = useState<readonly OnvifRow[]>([]);
  const [login, setLogin] = useState(NO_LOGIN);
  const [where, setWhere] = useState<CameraPlace>(NO_PLACE);
  const [audio, setAudio] = useState('auto');
  const [isWorking, setIsWorking] = useState(false);
  const [left] = useState(() => new AbortController());
  const box = useRef<HTMLDivElement>(null);
  const scan = useScan(left.signal, (found) => setRows((old) => mergedRows(old, found)));
  useEffect(() => () => left.abort(), []);
  const change = (address: string, update: (row: OnvifRow) => Partial<OnvifRow>) =>
    setRows((old) => old.map((row) => (row.found.address === address ? { ...row, ...update(row) } : row)));
  const step = (address: string, next: OnvifStep) => change(address, () => ({ step: next }));

  const check = async (wanted: readonly OnvifRow[]) => {
    setIsWorking(true);
    let refused = 0;
    await eachInTurn(
      wanted,
      { atOnce: AT_ONCE, signal: left.signal },
      ({ found }) => checkCamera(found, login, left.signal),
      ({ found: { address } }, progress) => {
        if (progress.kind === 'waiting') step(address, { kind: 'waiting' });
        else if (progress.kind === 'running') step(address, { kind: 'checking' });
        else if (progress.kind === 'failed') step(address, failed(progress.error.message));
        else {
          if (progress.result.kind === 'failed' && progress.result.isLogin) refused += 1;
          step(address, progress.result);
        }
      },
    );
    if (left.signal.aborted) return;
    setIsWorking(false);
    if (refused > 0) box.current!.querySelector<HTMLElement>('[name="password"]')?.focus();
  };

  const retry = async (row: OnvifRow, checked: Checked, profileToken: string) => {
    const profile = checked.answer.profiles.find((each) => each.profileToken === profileToken)!;
    const { address } = row.found;
    setIsWorking(true);
    await eachInTurn(
      [row],
      { atOnce: 1, signal: left.signal },
      () => tryProfile({ ...checked, profile }, left.signal),
      (_row, progress) => {
        if (progress.kind === 'running') step(address, { kind: 'checking' });
        else if (progress.kind === 'failed') step(address, failed(progress.error.message));
        else if (progress.kind === 'done') step(address, progress.result);
      },
    );
    if (!left.signal.aborted) setIsWorking(false);
  };

  const add = async (wanted: readonly OnvifRow[]) => {
    setIsWorking(true);
    const added: string[] = [];
    const checkedOf = (row: OnvifRow) => row.step as Checked & OnvifStep;
    await eachInTurn(
      wanted,
      { atOnce: AT_ONCE, signal: left.signal },
      (row) => {
        const { locationUuid, nvrUuid } = where;
        return addChecked(row, checkedOf(row), { locationUuid, nvrUuid, audio }, left.signal);
      },
      (row, progress) => {
        const { address } = row.found;
        const checked = checkedOf(row);
        if (progress.kind === 'running') step(address, { ...checked, kind: 'adding' });
        else if (progress.kind === 'failed') {
          step(address, { ...checked, kind: 'ready', refusal: progress.error.message });
        } else if (progress.kind === 'done') {
          added.push(progress.result);
          step(address, { kind: 'added', cameraUuid: progress.result });
        }
      },
    );
    if (left.signal.aborted) return;
    setIsWorking(false);
    const [only] = added;
    if (only !== undefined && wanted.length === 1) route(cameraPlace(only));
  };

  const checkable = rows.filter(isCheckable);
  const addable = rows.filter(isAddable);
  const isRefused = rows.some(({ step: at }) => at.kind === 'failed' && at.isLogin);
  return (
    <div class="wizard" ref={box}>
      <div class="part">
        <div class="section-head">
          <h2 aria-live="polite">{scan.isBusy ? 'Looking for cameras…' : foundText(rows.length)}</h2>
          <button type="button" disabled={scan.isBusy || isWorking} onClick={scan.start}>
            Look again
          </button>
        </div>
        {scan.error !== null && <ChangeError error={scan.error} />}
        {rows.length === 0 && !scan.isBusy && (
          <p class="hint">
            Turn on ONVIF in the cameras; many have it off. Cameras in another network do not hear the
            gateway: enter their addresses.
          </p>
        )}
        {rows.length > 1 && !isWorking && (
          <Check
            label="Choose all that are new"
            isChecked={rows.every((row) => row.isChosen || row.found.known || row.step.kind === 'added')}
            onCheck={(isChosen) => setRows((old) => choseAll(old, isChosen))}
          />
        )}
        {rows.length > 0 && (
          <ul class="found" aria-label="Cameras found">
            {rows.map((row) => (
              <OnvifRowView
                key={row.found.address}
                row={row}
                isWorking={isWorking}
                onChoose={(isChosen) => change(row.found.address, () => ({ isChosen }))}
                onName={(name) => change(row.found.address, () => ({ name }))}
                onProfile={(checked, token) => void retry(row, checked, token)}
              />
            ))}
          </ul>
        )}
        <OtherAddress
          isFull={rows.length >= MAX_ROWS}
          onAddress={(address) =>
            setRows((old) => {
              if (old.some(({ found }) => found.address === address)) return old;
              return [...old, newRow({ address, https: false, known: false }, true)];
            })
          }
        />
      </div>
      <div class="part follows">
        <form
          class="form sheet"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void check(checkable);
          }}
        >
          <h2>1. Log in</h2>
          <LoginFields
            {...login}
            passwordHint="Every chosen camera gets it, once: choose only those that you know."
            error={isRefused ? 'Wrong user name or password. The cameras that refused it say so.' : null}
            onLogin={setLogin}
          />
          <footer>
            <button
              type="submit"
              class={addable.length === 0 ? 'primary' : ''}
              disabled={checkable.length === 0 || isWorking}
            >
              {`Check ${camerasText(checkable.length)}`}
            </button>
          </footer>
        </form>
        <form
          class="form sheet"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void add(addable);
          }}
        >
          <h2>2. Add</h2>
          <PlaceFields where={where} choices={choices} hasName={false} onPlace={setWhere} />
          <ChoiceField
            label="Sound"
            value={audio}
            options={[
              ['auto', 'As browsers play it best'],
              ['aac', 'Always AAC, by a worker'],
              ['off', 'None'],
            ]}
            onChoice={setAudio}
          />
          <p class="hint">The gateway keeps the login for video, and for ONVIF: motion, PTZ and the clock.</p>
          <p role="status">{endsText(rows)}</p>
          <footer>
            <button
              type="submit"
              class={addable.length === 0 ? '' : 'primary'}
              disabled={addable.length === 0 || isWorking}
            >
              {`Add ${camerasText(addable.length)}`}
            </button>
          </footer>
        </form>
      </div>
    </div>
  );
}

/** Looks once when the page is opened, and again when someone asks for it. */
function useScan(signal: AbortSignal, onFound: (found: Awaited<ReturnType<typeof scanNetwork>>) => void) {
  const { isBusy, error, run } = useChange();
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

function OtherAddress({
  isFull,
  onAddress,
}: {
  readonly isFull: boolean;
  readonly onAddress: (address: string) => void;
}) {
  const [address, setAddress] = useState('');
  return (
    <form
      class="beside"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const trimmed = address.trim();
        if (trimmed === '' || isFull) return;
        onAddress(trimmed);
        setAddress('');
      }}
    >
      <TextField
        label="Another address"
        hint="An IP address, with its ONVIF port if that is not 80: 192.0.2.10:8000"
        maxLength={64}
        value={address}
        onValue={setAddress}
      />
      <button type="submit" disabled={address.trim() === '' || isFull}>
        Put on the list
      </button>
    </form>
  );
}

function failed(sentence: string): OnvifStep {
  return { kind: 'failed', sentence, isLogin: false };
}

function foundText(count: number): string {
  if (count === 0) return 'No camera answered';
  return count === 1 ? '1 camera' : `${count} cameras`;
}

function camerasText(count: number): string {
  return count === 1 ? '1 camera' : `${count} cameras`;
}

/** What became of those that were to be added, each failure by its name. */
function endsText(rows: readonly OnvifRow[]): string {
  const added = rows.filter(({ step }) => step.kind === 'added').length;
  const refused = rows.filter(({ step }) => step.kind === 'ready' && step.refusal !== null);
  if (added + refused.length === 0) return '';
  const names = refused.map((row) => rowName(row)).join(', ');
  return `${camerasText(added)} added.${refused.length === 0 ? '' : ` Not added: ${names}.`}`;
}
