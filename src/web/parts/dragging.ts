/** Dragging, fetched once there is something to drag: a first look needs none of it. */

type Adapter = typeof import("@atlaskit/pragmatic-drag-and-drop/element/adapter");

let loading: Promise<Adapter> | undefined;

/** Prepares an element when dragging is there. @param prepare says how, and gives back what undoes it */
export function whenDraggable(prepare: (adapter: Adapter) => () => void): () => void {
  let undo: (() => void) | undefined;
  let isOver = false;
  const wait = async () => {
    loading ??= import("@atlaskit/pragmatic-drag-and-drop/element/adapter");
    const adapter = await loading;
    if (!isOver) undo = prepare(adapter);
  };
  // Menus and keys move cards too; it is asked for again with the next card.
  wait().catch(() => (loading = undefined));
  return () => {
    isOver = true;
    undo?.();
  };
}
