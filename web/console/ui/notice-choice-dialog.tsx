/** Which alerts a person is notified of, and how: in words, and in a dialog that changes it. */

import { useState } from 'preact/hooks';
import { readAlerts, triggerText } from '../alert-list.ts';
import { MEDIUMS, type Medium, type NoticeChoice, USUAL_KINDS } from '../notice-choice.ts';
import { useReading } from '../reading.ts';
import { isEmptyScope, type RightsPlaces, readRightsPlaces, scopeNames } from '../rights.ts';
import { t } from '../words.ts';
import { Check } from './check.tsx';
import { Facts } from './facts.tsx';
import { FormDialog } from './form-dialog.tsx';
import { OptionList } from './option-list.tsx';
import { PlaceList } from './place-list.tsx';
import { ReadingView } from './reading-view.tsx';

/** In which kinds are looked for that cameras do not report themselves. */
const RECENT_ALERTS = 500;

const MEDIUM_TITLES: Readonly<Record<Medium, string>> = {
  BROWSER: t('In the open console'),
  APP: t('By the browsers that you turned on'),
  EMAIL: t('By mail, if the gateway is set up to send it'),
};

const MEDIUM_ORDER: readonly Medium[] = ['BROWSER', 'APP', 'EMAIL'];

export function NoticeChoiceFacts({
  choice: { mediums, places, kinds },
  known,
}: {
  readonly choice: NoticeChoice;
  readonly known: RightsPlaces;
}) {
  return (
    <Facts
      facts={[
        [
          t('From'),
          places === undefined
            ? t('All sites and cameras')
            : scopeNames(places, known).join(', ') || t('Sites and cameras that no longer exist'),
        ],
        [t('About'), kinds.length === 0 ? t('All kinds of alerts') : kinds.map(triggerText).join(', ')],
        [t('Shown'), mediums.map((medium) => MEDIUM_TITLES[medium]).join(', ')],
      ]}
    />
  );
}

export function NoticeChoiceDialog({
  choice,
  onSave,
  onClose,
}: {
  readonly choice: NoticeChoice;
  readonly onSave: (choice: NoticeChoice) => Promise<void>;
  readonly onClose: () => void;
}) {
  const [places, setPlaces] = useState(choice.places);
  const [kinds, setKinds] = useState(choice.kinds);
  const [mediums, setMediums] = useState(choice.mediums);
  const reading = useReading(async (signal) => {
    const [known, { alerts }] = await Promise.all([
      readRightsPlaces(signal),
      readAlerts(RECENT_ALERTS, false, signal),
    ]);
    return { known, seen: alerts.flatMap(({ policyAlertTriggers = [] }) => policyAlertTriggers) };
  }, []);
  return (
    <FormDialog
      title={t('Which alerts notify you')}
      submit={t('Save')}
      isReady={!isEmptyScope(places) && mediums.length > 0}
      onSubmit={async () => {
        await onSave({ places, kinds, mediums });
        onClose();
      }}
      onClose={onClose}
    >
      <ReadingView reading={reading} what={t('sites and cameras')}>
        {({ known, seen }) => (
          <>
            <fieldset class="rights">
              <legend>{t('From')}</legend>
              <PlaceList all={t('All sites and cameras')} places={known} scope={places} onScope={setPlaces} />
              {isEmptyScope(places) && <p class="hint">{t('Choose a site or a camera.')}</p>}
            </fieldset>
            <fieldset class="rights">
              <legend>{t('About')}</legend>
              <KindList seen={seen} kinds={kinds} onKinds={setKinds} />
            </fieldset>
          </>
        )}
      </ReadingView>
      <fieldset class="rights">
        <legend>{t('Shown')}</legend>
        {MEDIUM_ORDER.map((medium) => (
          <Check
            key={medium}
            label={MEDIUM_TITLES[medium]}
            isChecked={mediums.includes(medium)}
            onCheck={(isChosen) =>
              setMediums(MEDIUMS.filter((each) => (each === medium ? isChosen : mediums.includes(each))))
            }
          />
        ))}
        {mediums.length === 0 && <p class="hint">{t('Choose at least one.')}</p>}
      </fieldset>
    </FormDialog>
  );
}

function KindList({
  seen,
  kinds,
  onKinds,
}: {
  readonly seen: readonly string[];
  readonly kinds: readonly string[];
  readonly onKinds: (kinds: readonly string[]) => void;
}) {
  const [offered] = useState(() => [...new Set([...USUAL_KINDS, ...seen, ...kinds])]);
  return (
    <>
      <Check label={t('All kinds of alerts')} isChecked={kinds.length === 0} onCheck={() => onKinds([])} />
      <div class="option-box">
        <OptionList
          label={t('kinds of alerts')}
          options={offered.map((kind) => ({ value: kind, title: triggerText(kind) }))}
          chosen={new Set(kinds)}
          isMultiple
          onPick={(kind) =>
            onKinds(kinds.includes(kind) ? kinds.filter((each) => each !== kind) : [...kinds, kind])
          }
        />
      </div>
    </>
  );
}
