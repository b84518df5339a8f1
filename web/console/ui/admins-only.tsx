/** In place of a page that someone's role cannot use: why, and who can. */

import { place } from '../places.ts';
import { session } from '../session.ts';
import { Notice } from './notice.tsx';

/** `what`: as in "Only administrators can add cameras". */
export function AdminsOnly({ what }: { readonly what: string }) {
  const role = session.value?.person.role;
  return (
    <Notice title={`Only administrators can ${what}`}>
      <p>
        You are signed in as {role === 'operator' ? 'an operator' : 'a viewer'}. Ask an administrator to do
        it, or for another role.
      </p>
      <a href={place('')}>See the cameras</a>
    </Notice>
  );
}
