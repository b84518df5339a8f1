/** A box to check, with its label next to it. */

export function Check({
  label,
  hint,
  isChecked,
  onCheck,
}: {
  readonly label: string;
  readonly hint?: string;
  readonly isChecked: boolean;
  readonly onCheck: (isChecked: boolean) => void;
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isChecked}
        onChange={({ currentTarget }) => onCheck(currentTarget.checked)}
      />
      {hint === undefined ? (
        label
      ) : (
        <span>
          {label} <span class="hint">{hint}</span>
        </span>
      )}
    </label>
  );
}
