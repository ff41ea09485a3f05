/** Dragging, fetched once there is something to drag: a first look needs none of it. */

type Adapter = typeof import("@atlaskit/pragmatic-drag-and-drop/element/adapter");

let loading: Promise<Adapter> | undefined;

/** Prepares an element when dragging is there. @param prepare says how, and gives back what undoes it */
export function whenDraggable(prepare: (adapter: Adapter) => () => void): () => void {
  let undo: (() => void) | undefined;
  let isOver = false;
  loading ??= import("@atlaskit/pragmatic-drag-and-drop/element/adapter");
  loading.then(
    (adapter) => {
      if (!isOver) undo = prepare(adapter);
    },
    // It can be asked for again; menus and keys move cards too.
    () => (loading = undefined),
  );
  return () => {
    isOver = true;
    undo?.();
  };
}
