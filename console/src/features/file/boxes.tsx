/** A place in a picture or on a page, 0–1 of its width and height. */
export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface PlacedBox {
  id: string;
  box: Box;
  /** Classes of its outline and its fill. */
  tone: string;
  /** Read out, where boxes take part in the order of the keyboard. */
  label: string;
}

/**
 * Boxes over a picture that fills the same parent.
 *
 * @param active ids that are highlighted
 * @param onPoint the box below the pointer or with the focus, or null
 * @param inOrder whether the keyboard reaches the boxes; not, where a list beside the picture does the same
 */
export function Boxes({
  boxes,
  active,
  onPoint,
  onSelect,
  inOrder = false,
}: {
  boxes: readonly PlacedBox[];
  active: ReadonlySet<string>;
  onPoint: (id: string | null) => void;
  onSelect: (id: string) => void;
  inOrder?: boolean;
}) {
  return (
    <div className="absolute inset-0" aria-hidden={!inOrder || undefined}>
      {boxes.map(({ id, box, tone, label }) => (
        <button
          key={id}
          type="button"
          data-box={id}
          tabIndex={inOrder ? 0 : -1}
          aria-label={label}
          aria-pressed={inOrder ? active.has(id) : undefined}
          onPointerEnter={() => onPoint(id)}
          onPointerLeave={() => onPoint(null)}
          onFocus={() => onPoint(id)}
          onBlur={() => onPoint(null)}
          onClick={() => onSelect(id)}
          className={`absolute rounded-xs border transition-colors ${tone} ${active.has(id) ? 'z-10 border-accent bg-accent/25 ring-2 ring-accent' : 'bg-transparent hover:bg-accent/15'}`}
          style={{
            left: `${box.left * 100}%`,
            top: `${box.top * 100}%`,
            width: `${box.width * 100}%`,
            height: `${box.height * 100}%`,
          }}
        />
      ))}
    </div>
  );
}
