/** Adds cameras: those that answer on the network, one by its address, or one whose device pushes its video. */

import { useMemo, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { type Choices, createCamera, NO_PLACE, readChoices } from '../camera-adding.ts';
import { EMPTY_DRAFT, sourceOf } from '../camera-draft.ts';
import { ADD_CAMERA_PLACE, type AddWay, addPlace, cameraPlace } from '../camera-places.ts';
import { onceKeeper } from '../in-turn.ts';
import { usePageTitle } from '../page-title.ts';
import { place } from '../places.ts';
import { useReading } from '../reading.ts';
import { may } from '../session.ts';
import { AdminsOnly } from '../ui/admins-only.tsx';
import { PlaceFields } from '../ui/camera-place-fields.tsx';
import { CsvImport } from '../ui/csv-import.tsx';
import { Icon, type IconName } from '../ui/icon.tsx';
import { NetworkFinder } from '../ui/network-finder.tsx';
import { PushForm } from '../ui/push-form.tsx';
import { ReadingView } from '../ui/reading-view.tsx';
import { RecorderFinder } from '../ui/recorder-finder.tsx';
import { SourceWizard } from '../ui/source-wizard.tsx';
import { t } from '../words.ts';

interface Way {
  readonly title: string;
  readonly text: string;
  readonly icon: IconName;
}

const WAYS: Readonly<Record<AddWay, Way>> = {
  network: {
    title: t('Find them on the network'),
    text: t('Cameras with ONVIF answer by themselves. Add several at once.'),
    icon: 'system',
  },
  recorder: {
    title: t('A video recorder (NVR)'),
    text: t('All its cameras in one step: one address, one login, a picture of each channel.'),
    icon: 'recorder',
  },
  address: {
    title: t('By its address'),
    text: t('RTSP, HLS, MPEG-TS, Motion JPEG, RTMP or SRT. With the paths of known vendors.'),
    icon: 'camera',
  },
  push: {
    title: t('Its device pushes'),
    text: t('A recorder, an encoder or OBS sends its video here by RTMP.'),
    icon: 'share',
  },
  file: {
    title: t('From a file'),
    text: t('A CSV file with names and addresses; it also renames and moves cameras that exist.'),
    icon: 'table',
  },
};

export function CameraAddPage() {
  usePageTitle(t('Add cameras'));
  const { query } = useLocation();
  const way = Object.hasOwn(WAYS, query.way ?? '') ? (query.way as AddWay) : null;
  return (
    <>
      <p>
        {way === null ? (
          <a href={place('')}>{t('All cameras')}</a>
        ) : (
          <a href={ADD_CAMERA_PLACE}>{t('Other ways')}</a>
        )}
      </p>
      <h1>{way === null ? t('Add cameras') : WAYS[way].title}</h1>
      {may('admin') ? <Ways way={way} /> : <AdminsOnly what={t('add cameras')} />}
    </>
  );
}

function Ways({ way }: { readonly way: AddWay | null }) {
  const reading = useReading(readChoices, [], ({ entity }) => entity === 'LOCATION');
  if (way === null) {
    return (
      <ul class="add-ways">
        {(Object.keys(WAYS) as AddWay[]).map((each) => (
          <li key={each} class="sheet way">
            <Icon name={WAYS[each].icon} />
            <h2>
              <a href={addPlace(each)}>{WAYS[each].title}</a>
            </h2>
            <p class="hint">{WAYS[each].text}</p>
          </li>
        ))}
      </ul>
    );
  }
  return (
    <ReadingView reading={reading} what={t('what cameras can be assigned to')}>
      {(choices) => {
        if (way === 'network') return <NetworkFinder choices={choices} />;
        if (way === 'file') return <CsvImport choices={choices} />;
        if (way === 'recorder') return <RecorderFinder choices={choices} />;
        return way === 'push' ? <PushForm choices={choices} /> : <AddByAddress choices={choices} />;
      }}
    </ReadingView>
  );
}

function AddByAddress({ choices }: { readonly choices: Choices }) {
  const { route } = useLocation();
  const [where, setWhere] = useState(NO_PLACE);
  const [nameError, setNameError] = useState<string | null>(null);
  const once = useMemo(onceKeeper, []);
  return (
    <SourceWizard
      initial={EMPTY_DRAFT}
      templates={choices.templates}
      sourceOf={sourceOf}
      save={t('Add camera')}
      onSave={async (draft) => {
        if (where.name.trim() === '') {
          setNameError(t('Enter a name for the camera.'));
          document.querySelector<HTMLElement>('[name="name"]')?.focus();
          return;
        }
        const source = sourceOf(draft);
        route(cameraPlace(await createCamera(source, where, once({ source, where }))));
      }}
    >
      <h2>{t('What it is called and where it is')}</h2>
      <PlaceFields
        where={where}
        choices={choices}
        nameError={nameError}
        onPlace={(next) => {
          setNameError(null);
          setWhere(next);
        }}
      />
    </SourceWizard>
  );
}
