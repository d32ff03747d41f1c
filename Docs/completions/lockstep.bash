# Bash completion for lockstep: commands and flags. Names of items are not completed, for they would end in the screen's history.
_lockstep() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} word command="" flags="--home --socket --help"
  case $previous in
    --home | --socket | --recovery-kit | --new-passphrase-file) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --accessible)
      mapfile -t COMPREPLY < <(compgen -W "when-unlocked after-first-unlock always when-passcode-set" -- "$current")
      return ;;
    --role) mapfile -t COMPREPLY < <(compgen -W "admin writer reader" -- "$current"); return ;;
  esac
  local value=""
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [ -n "$value" ]; then value=""; continue; fi # what belongs to the flag before it
    case $word in
      --home | --socket | --vault | --relay | --invite | --device-name | --recovery-kit | --role | --label | --accessible | --length | --keep | \
        --new-passphrase-file) value=yes ;;
      -*) ;;
      *)
        if [ "$command" = help ] || [ -z "$command" ]; then command=$word
        elif [ "$command" = device ] || [ "$command" = vault ] || [ "$command" = conflict ]; then command="$command $word"
        fi ;;
    esac
  done
  case $command in
    "" | help) COMPREPLY=(init device join recover add get edit rm list conflicts conflict status sync vault lock unlock passwd version help) ;;
    device) COMPREPLY=(invite list) ;;
    vault) COMPREPLY=(list) ;;
    conflict) COMPREPLY=(show resolve) ;;
    init) flags="--relay --invite --vault --device-name --recovery-kit $flags" ;;
    join) flags="--vault --device-name $flags" ;;
    recover) flags="--relay --vault --device-name --recovery-kit $flags" ;;
    "device invite") flags="--role --yes --vault $flags" ;;
    "device list" | list | conflicts | sync) flags="--json --vault $flags" ;;
    status | "vault list") flags="--json $flags" ;;
    add) flags="--label --this-device-only --accessible --update --generate --length --vault $flags" ;;
    get | rm) flags="--vault --this-device-only --synchronizable $flags" ;;
    edit) flags="--secret --label --accessible --vault --this-device-only --synchronizable $flags" ;;
    "conflict show") flags="--json --vault --this-device-only --synchronizable $flags" ;;
    "conflict resolve") flags="--keep --vault --this-device-only --synchronizable $flags" ;;
    passwd) flags="--new-passphrase-file $flags" ;;
  esac
  if [ ${#COMPREPLY[@]} -gt 0 ] && [[ $current != -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "${COMPREPLY[*]}" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$current")
  fi
}
complete -F _lockstep lockstep
