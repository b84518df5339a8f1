/** One camera that a scan found: chosen or not, and how far it is. */

import { cameraPlace, recorderPlace } from '../camera-places.ts';
import { type Checked, type OnvifRow, profileText, rowName } from '../onvif-rows.ts';
import { t, tRich } from '../words.ts';
import { TextField } from './field.tsx';
import { Icon } from './icon.tsx';
import { AdviceList, probeLine } from './probe-view.tsx';
import { SelectField } from './select.tsx';

const MAX_NAME_CHARS = 256;

export function OnvifRowView({
  row,
  isWorking,
  onChoose,
  onName,
  onProfile,
}: {
  readonly row: OnvifRow;
  readonly isWorking: boolean;
  readonly onChoose: (isChosen: boolean) => void;
  readonly onName: (name: string) => void;
  readonly onProfile: (checked: Checked, profileToken: string) => void;
}) {
  const { found, isChosen, step } = row;
  const name = rowName(row);
  const isOver = step.kind === 'added';
  return (
    <li class="sheet" aria-label={name}>
      <label class="check">
        <input
          type="checkbox"
          checked={isChosen && !isOver}
          disabled={isWorking || isOver}
          onChange={({ currentTarget }) => onChoose(currentTarget.checked)}
        />
        <span class="break">
          <b>{name}</b>
          <span class="hint">
            {[found.address, found.hardware].filter(Boolean).join(' · ')}
            {found.known && ` ${t('· already added')}`}
          </span>
        </span>
      </label>
      <StepView row={row} isWorking={isWorking} onName={onName} onProfile={onProfile} />
    </li>
  );
}

function StepView({
  row,
  isWorking,
  onName,
  onProfile,
}: Omit<Parameters<typeof OnvifRowView>[0], 'onChoose'>) {
  const { step } = row;
  switch (step.kind) {
    case 'found':
      return null;
    case 'waiting':
      return <p class="hint">{t('Waits for its turn')}</p>;
    case 'checking':
      return (
        <p class="hint" role="status">
          {t('Opening it…')}
        </p>
      );
    case 'failed':
      return <p class="trouble break">{step.sentence}</p>;
    case 'added':
      return (
        <p class="done">
          <Icon name="check" />{' '}
          {tRich('Added. <link>Open {rowName}</link>', {
            rowName: rowName(row),
            link: (text) => <a href={cameraPlace(step.cameraUuid)}>{text}</a>,
          })}
        </p>
      );
    case 'ready':
    case 'adding':
      return (
        <CheckedView row={row} checked={step} isWorking={isWorking} onName={onName} onProfile={onProfile} />
      );
  }
}

function CheckedView({
  row,
  checked,
  isWorking,
  onName,
  onProfile,
}: Omit<Parameters<typeof OnvifRowView>[0], 'onChoose'> & { readonly checked: Checked }) {
  const { response, profile, report, refusal } = checked;
  return (
    <div class="checked">
      {report.snapshot != null && (
        <div class="picture">
          <img
            src={`data:image/jpeg;base64,${report.snapshot.imageData}`}
            alt={t('What {rowName} shows', { rowName: rowName(row) })}
          />
        </div>
      )}
      <div class="part">
        <p class="done">
          <Icon name="check" /> {row.step.kind === 'adding' ? t('Adding it…') : probeLine(report)}
        </p>
        <TextField label={t('Name')} maxLength={MAX_NAME_CHARS} value={rowName(row)} onValue={onName} />
        {response.channels.length > 1 && (
          <p>
            {tRich('It has {count} channels. <link>Add all of them</link>', {
              count: response.channels.length,
              link: (text) => <a href={recorderPlace(row.found.address)}>{text}</a>,
            })}
          </p>
        )}
        {response.profiles.length > 1 && !isWorking && (
          <SelectField
            label={t('Main stream')}
            value={profile.profileToken}
            options={response.profiles.map((each) => ({
              value: each.profileToken,
              title: profileText(each),
            }))}
            onValue={(token) => onProfile(checked, token)}
          />
        )}
        <AdviceList advice={report.advice} />
        {refusal !== null && (
          <p class="trouble break" role="alert">
            {t('Not added: {refusal}', { refusal })}
          </p>
        )}
      </div>
    </div>
  );
}
