/** Changes how a camera is opened, its name, and its place; or removes it. */

import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { CallError } from '../api.ts';
import {
  type Choices,
  type KnownSource,
  readChoices,
  readSource,
  removeCamera,
  updateSource,
} from '../camera-adding.ts';
import { changesOf, draftOf, isDraftField } from '../camera-draft.ts';
import { cameraPlace } from '../camera-places.ts';
import { readSettings } from '../gateway-state.ts';
import { usePageTitle } from '../page-title.ts';
import { place } from '../places.ts';
import { useReading } from '../reading.ts';
import { may } from '../session.ts';
import { placeCamera } from '../site-list.ts';
import { AdminsOnly } from '../ui/admins-only.tsx';
import { PlaceFields } from '../ui/camera-place-fields.tsx';
import { CopyField } from '../ui/copy-field.tsx';
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
      const file = known.declared ? await fileOf(signal) : null;
      return { known, choices, file };
    },
    [cameraUuid],
  );
  return (
    <ReadingView reading={reading} what={t('how the camera is opened')} title={t('Edit camera')}>
      {({ known, choices, file }) => (
        <>
          <h1 class="break">{known.name}</h1>
          {known.declared ? (
            <Declared name={known.name} file={file} />
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

const DEFAULT_FILE = 'sluice.yaml';

/** As one writes it in the file. */
function lineOf(name: string): string {
  return ['- name', name].join(': ');
}

/** Null: the person may not read it, or there is none anymore. */
async function fileOf(signal: AbortSignal): Promise<string | null> {
  try {
    return (await readSettings(signal)).file ?? null;
  } catch (thrown) {
    if (!(thrown instanceof CallError)) throw thrown;
    return null;
  }
}

/** Where to change it: the file, the line to look for, and how the gateway learns of it. */
function Declared({ name, file }: { readonly name: string; readonly file: string | null }) {
  return (
    <section class="sheet form">
      <h2>{t('The configuration file declares this camera')}</h2>
      <p class="break">
        {tRich('Change it in {file}, below <code>cameras</code>. Look for this line:', {
          file: <code>{file ?? DEFAULT_FILE}</code>,
          code: (text) => <code>{text}</code>,
        })}
      </p>
      <CopyField label={t('Line of this camera')} value={lineOf(name)} />
      <p>
        {tRich(
          'Then <link>reload the file under Settings</link>: nothing is interrupted, and no restart is needed.',
          {
            link: (text) => <a href={place('settings')}>{text}</a>,
          },
        )}
      </p>
    </section>
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
  const { route, query } = useLocation();
  const [initial] = useState(() => draftOf(known));
  return (
    <section class="part" aria-labelledby="source-title">
      <h2 id="source-title">{t('How it is opened')}</h2>
      <SourceWizard
        initial={initial}
        firstField={isDraftField(query.field) ? query.field : null}
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
