/** Links to pages that belong together, the open one marked. Those of other roles are left out. */

import { useLocation } from 'preact-iso';
import { place } from '../places.ts';
import { may, type Role } from '../session.ts';

export interface PageTab {
  readonly path: string;
  readonly title: string;
  readonly role: Role;
}

export function PageTabs({ label, tabs }: { readonly label: string; readonly tabs: readonly PageTab[] }) {
  const { path: current } = useLocation();
  const open = tabs.filter(({ role }) => may(role));
  if (open.length < 2) return null;
  return (
    <nav class="tabs" aria-label={label}>
      {open.map(({ path, title }) => (
        <a key={path} href={place(path)} aria-current={current === place(path) ? 'page' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}
