// Role: logging on: as a page of its own, and as a dialog over the page of whom the session has
// left. One answer for every failure; the name stays.

import {useEffect, useRef} from 'preact/hooks';
import {Logo} from '../parts/basic.tsx';
import {Field, Foot, FormBox} from '../parts/form.tsx';
import {Form} from '../parts/form_model.ts';
import {logOn, me} from '../state/session.ts';
import {useOnce} from '../state/asked.ts';

function LogInForm({again}: {again: boolean}) {
  const form = useOnce(() => new Form({username: again ? me.peek() : '', password: ''}));
  const submit = () => {
    const {username, password} = form.value.value;
    const missing: Record<string, string> = {};
    if (!username) missing.username = 'Which user?';
    if (!password) missing.password = 'A password or an API key is wanted.';
    void form.submit(() => logOn(username, password), missing);
  };
  const Heading = again ? 'h2' : 'h1';
  return (
    <FormBox form={form} onSubmit={submit} label="Log in">
      <Heading>{again ? 'Your session is over' : 'Log in'}</Heading>
      <p class="sub">
        {again ? 'Log in again, and go on where you were. ' : ''}
        With your account’s password, or an API key in its place.
      </p>
      <div class="gap" />
      <Field
        form={form}
        name="username"
        label="User"
        input={{autocomplete: 'username', autofocus: !again}}
      />
      <Field
        form={form}
        name="password"
        label="Password or API key"
        input={{type: 'password', autocomplete: 'current-password', autofocus: again}}
      />
      <Foot form={form} verb="Log in" />
    </FormBox>
  );
}

export function LogInPage() {
  useEffect(() => {
    document.title = 'Log in · WM';
  }, []);
  return (
    <main class="login">
      <div class="brand">
        <Logo />
        WM
      </div>
      <LogInForm again={false} />
    </main>
  );
}

/**
 * Nothing of the page below is lost meanwhile. Escape does not close it: nothing can be done
 * there.
 */
export function LogInAgain() {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => element.current?.showModal(), []);
  return (
    <dialog
      ref={element}
      class="log-in"
      aria-label="Log in again"
      onCancel={(event) => event.preventDefault()}
    >
      <LogInForm again />
    </dialog>
  );
}
