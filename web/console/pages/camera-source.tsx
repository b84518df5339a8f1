/** Changes how a camera is opened, its name, and its place; or removes it. */

import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import {
  type Choices,
  type KnownSource,
  readChoices,
  readSource,
  removeCamera,
  updateSource,
} from '../camera-adding.ts';
import { changesOf, draftOf } from '../camera-draft.ts';
import { cameraPlace } from '../camera-places.ts';
import { usePageTitle } from '../page-title.ts';
import { place } from '../places.ts';
import { useReading } from '../reading.ts';
import { may } from '../session.ts';
import { placeCamera } from '../site-list.ts';
import { AdminsOnly } from '../ui/admins-only.tsx';
import { PlaceFields } from '../ui/camera-place-fields.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { FormError } from '../ui/form-error.tsx';
import { Notice } from '../ui/notice.tsx';
import { ReadingView } from '../ui/reading-view.tsx';
import { SourceWizard } from '../ui/source-wizard.tsx';
import { useAction } from '../ui/use-action.ts';
import { t, tRich } from '../words.ts';

export function CameraSourcePage() {
  usePageTitle(t('Edit camera'));
  const { params } = useRoute();
  const cameraUuid = params.cameraUuid ?? '';
  return (
    <>
      <p>
        <a href={cameraPlace(cameraUuid)}>{t('Back to the camera')}</a>
      </p>
      {may('admin') ? (
        <Source cameraUuid={cameraUuid} />
      ) : (
        <>
          <h1>{t('Edit camera')}</h1>
          <AdminsOnly what={t('change how a camera is opened')} />
        </>
      )}
    </>
  );
}

function Source({ cameraUuid }: { readonly cameraUuid: string }) {
  // Read once: edits stay, even if others change the camera.
  const reading = useReading(
    async (signal) => {
      const [known, choices] = await Promise.all([readSource(cameraUuid, signal), readChoices(signal)]);
      return { known, choices };
    },
    [cameraUuid],
  );
  return (
    <ReadingView reading={reading} what={t('how the camera is opened')} title={t('Edit camera')}>
      {({ known, choices }) => (
        <>
          <h1 class="break">{known.name}</h1>
          {known.declared ? (
            <Notice title={t('The configuration file declares this camera')}>
              <p>
                {tRich(
                  'Change it in <code>sluice.yaml</code>, and reload the configuration under Settings.',
                  { code: (text) => <code>{text}</code> },
                )}
              </p>
            </Notice>
          ) : (
            <>
              <PlaceForm cameraUuid={cameraUuid} known={known} choices={choices} />
              {known.pushed ? (
                <Notice title={t('Its device pushes its video')}>
                  <p>{t('The gateway does not open it, so there is no address to change.')}</p>
                </Notice>
              ) : (
                <SourceForm cameraUuid={cameraUuid} known={known} choices={choices} />
              )}
              <Removal cameraUuid={cameraUuid} name={known.name} />
            </>
          )}
        </>
      )}
    </ReadingView>
  );
}

interface FormProps {
  readonly cameraUuid: string;
  readonly known: KnownSource;
  readonly choices: Choices;
}

/** Its name and its site have nothing to do with its stream, so they are saved without a check. */
function PlaceForm({ cameraUuid, known, choices }: FormProps) {
  const { route } = useLocation();
  const [before] = useState({ name: known.name, locationUuid: known.locationUuid ?? '', nvrUuid: '' });
  const [where, setWhere] = useState(before);
  const [nameError, setNameError] = useState<string | null>(null);
  const { isBusy, error, run } = useAction();
  const name = where.name.trim();
  const changes = {
    ...(name === before.name ? {} : { name }),
    ...(where.locationUuid === before.locationUuid ? {} : { locationUuid: where.locationUuid }),
  };
  const isChanged = Object.keys(changes).length > 0;
  return (
    <form
      class="form sheet"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (name === '') setNameError(t('Enter a name for the camera.'));
        else
          void run(async () => {
            await placeCamera(cameraUuid, changes);
            route(cameraPlace(cameraUuid));
          });
      }}
    >
      <h2>{t('Name and site')}</h2>
      <PlaceFields
        where={where}
        choices={{ locations: choices.locations, nvrs: [] }}
        nameError={nameError}
        onPlace={(next) => {
          setNameError(null);
          setWhere(next);
        }}
      />
      <FormError error={error} />
      <footer>
        <button type="submit" class="primary" disabled={isBusy || !isChanged}>
          {isBusy ? t('Saving…') : t('Save name and site')}
        </button>
      </footer>
    </form>
  );
}

function SourceForm({ cameraUuid, known, choices }: FormProps) {
  const { route } = useLocation();
  const [initial] = useState(() => draftOf(known));
  return (
    <section class="part" aria-labelledby="source-title">
      <h2 id="source-title">{t('How it is opened')}</h2>
      <SourceWizard
        initial={initial}
        templates={choices.templates}
        passwordHint={
          known.source.hasPassword ? t('A password is stored. Empty: it stays.') : t('None is stored.')
        }
        sourceOf={(draft) => ({ cameraUuid, ...changesOf(initial, draft) })}
        save={t('Save')}
        onSave={async (draft) => {
          const changes = changesOf(initial, draft);
          if (Object.keys(changes).length > 0) await updateSource(cameraUuid, changes);
          route(cameraPlace(cameraUuid));
        }}
      />
    </section>
  );
}

function Removal({ cameraUuid, name }: { readonly cameraUuid: string; readonly name: string }) {
  const { route } = useLocation();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <section class="sheet removal">
      <div>
        <h2>{t('Remove this camera')}</h2>
        <p class="hint">{t('Its links stop working for good.')}</p>
      </div>
      <button type="button" onClick={() => setIsOpen(true)}>
        {t('Remove…')}
      </button>
      {isOpen && (
        <FormDialog
          title={t('Remove this camera?')}
          submit={t('Remove camera')}
          isDanger
          onClose={() => setIsOpen(false)}
          onSubmit={async () => {
            await removeCamera(cameraUuid);
            route(place(''));
          }}
        >
          <p class="break">
            {tRich(
              'The gateway stops opening <b>{name}</b>. Its shares end, and everyone who watches it is cut off.',
              { name, b: (text) => <b>{text}</b> },
            )}
          </p>
        </FormDialog>
      )}
    </section>
  );
}
