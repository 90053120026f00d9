// What a page needs a browser for: the clipboard, the printer, and a key that sends a form. One listener for them all,
// since st.html draws buttons but runs no script.
const SAID_FOR = 2000;

function announce(words) {
  let live = document.getElementById("vd-announce");
  if (!live) {
    live = document.createElement("div");
    live.id = "vd-announce";
    live.setAttribute("role", "status");
    document.body.append(live);
  }
  if (live.textContent !== words) live.textContent = words;
}

// Only pages of this machine or behind HTTPS have navigator.clipboard.
function copyAsOfOld(words) {
  const area = document.createElement("textarea");
  area.value = words;
  area.style.position = "fixed";
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}

async function copy(button) {
  let done = true;
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
  } catch {
    done = copyAsOfOld(button.dataset.copy);
    button.focus();
  }
  const label = button.dataset.label ?? (button.dataset.label = button.textContent);
  button.textContent = done ? "Copied" : "Your browser does not allow copying";
  announce(button.textContent);
  setTimeout(() => { button.textContent = label; }, SAID_FOR);
}

let tell = () => {};

function onClick(event) {
  const button = event.target.closest?.("button.vd-copy, button.vd-print, button.vd-mark");
  if (!button) return;
  if (button.classList.contains("vd-print")) window.print();
  else if (button.classList.contains("vd-mark")) tell("mark", { key: button.dataset.key, mark: button.dataset.mark });
  else copy(button);
}

function onKey(event) {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  const field = event.target.closest?.(FIELDS);
  if (!field || field.closest('[data-testid="stForm"]')) return; // Streamlit sends its own forms
  const claim = field.closest(".st-key-verify-text");
  const drawn = claim ? sendButton() : mainAction(field);
  event.target.blur(); // Streamlit takes over what was typed when the field is left, but not before this task ends
  setTimeout(() => (drawn ? pressSoon(drawn) : claim && sendLater()));
}

const FIELDS = '[data-testid="stTextArea"], [data-testid="stTextInput"], [data-testid="stNumberInput"]';
const SMALL_FORMS = '[role="dialog"], [data-testid="stPopoverBody"], .st-key-vd-own';

// The page's main button below a field. A small form has its own button, which need not be a main one.
function mainAction(field) {
  const small = field.closest(SMALL_FORMS);
  const below = (button) => field.compareDocumentPosition(button) & Node.DOCUMENT_POSITION_FOLLOWING;
  const first = (kind) =>
    [...(small ?? document).querySelectorAll(`[data-testid="stBaseButton-${kind}"]`)].find(below);
  return first("primary") ?? (small && first("secondary"));
}

// What was typed may be what a button waits for.
function pressSoon(button, tries = 50) {
  if (!button.disabled) button.click();
  else if (tries && button.isConnected) setTimeout(pressSoon, 100, button, tries - 1);
}

const sendButton = () => document.querySelector(".st-key-verify-send button");

// A page is drawn from the top: the key may come before its button. What leaves this machine was then not on the screen.
function sendLater(tries = 600) {
  const send = sendButton();
  if (!send) return tries && document.querySelector(".st-key-verify-text") && setTimeout(sendLater, 100, tries - 1);
  if (document.querySelector(".st-key-vd-on-screen input").value) send.scrollIntoView({ block: "center" });
  else send.click();
}

export default function ({ data, setTriggerValue }) {
  if (data?.say) return announce(data.say);
  if (data?.show) return document.querySelector(`.st-key-${data.show}`)?.scrollIntoView({ block: "center" });
  tell = setTriggerValue;
  if (window.veridesk) return;
  window.veridesk = true;
  document.addEventListener("click", onClick);
  document.addEventListener("keydown", onKey, true); // before Streamlit, which lets no key through
}
