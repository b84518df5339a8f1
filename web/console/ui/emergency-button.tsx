/** Opens the dialog that opens cameras to a partner; nothing for viewers. */

import { useState } from 'preact/hooks';
import { may } from '../session.ts';
import { t } from '../words.ts';
import { EmergencyDialog } from './emergency-dialog.tsx';
import { Icon } from './icon.tsx';

/** `cameraUuids`: chosen at first; of more than can be opened, the first ones. */
export function EmergencyButton({ cameraUuids }: { readonly cameraUuids: readonly string[] }) {
  const [isOpen, setIsOpen] = useState(false);
  if (!may('operator')) return null;
  return (
    <>
      <button type="button" class="emergency-button" onClick={() => setIsOpen(true)}>
        <Icon name="emergency" /> {t('Emergency…')}
      </button>
      {isOpen && <EmergencyDialog cameraUuids={cameraUuids} onClose={() => setIsOpen(false)} />}
    </>
  );
}
