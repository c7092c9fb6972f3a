// Role: the one dialog, with any content; and the question before something is lost, which says
// what ends and what stays.

import type {ComponentChildren} from 'preact';
import {useEffect, useRef} from 'preact/hooks';

interface DialogProps {
  readonly id: string;
  readonly title: ComponentChildren;
  readonly open: boolean;
  readonly onClose: () => void;
  readonly wide?: boolean;
  readonly children?: ComponentChildren;
}

/** Modal. Escape closes it, and the focus goes back to where it was. */
export function Dialog({id, title, open, onClose, wide, children}: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current;
    if (open && dialog && !dialog.open) dialog.showModal();
    if (!open && dialog?.open) dialog.close();
  }, [open]);
  return (
    <dialog
      id={id}
      ref={element}
      class={wide ? 'wide-dialog' : ''}
      aria-labelledby={`h-${id}`}
      onClose={onClose}
    >
      <h2 id={`h-${id}`}>{title}</h2>
      {open && children}
    </dialog>
  );
}

interface ConfirmProps {
  readonly id: string;
  readonly title: ComponentChildren;
  readonly open: boolean;
  /** On the button that does it. */
  readonly verb: string;
  readonly onCancel: () => void;
  readonly onDo: () => void;
  readonly children?: ComponentChildren;
}

export function Confirm({id, title, open, verb, onCancel, onDo, children}: ConfirmProps) {
  return (
    <Dialog id={id} title={title} open={open} onClose={onCancel}>
      <div class="said">{children}</div>
      <div class="foot2">
        <button type="button" class="btn" autofocus onClick={onCancel}>
          Cancel
        </button>
        <button type="button" class="btn danger" data-do="confirm" onClick={onDo}>
          {verb}
        </button>
      </div>
    </Dialog>
  );
}
