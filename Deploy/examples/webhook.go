// Receives a webhook's events: go run webhook.go SECRETS JOURNAL [PORT]. Needs nothing but Go.
//
// SECRETS is the file that apps.yaml names: a secret a line, two during a rotation. JOURNAL gets each event once, one a
// line; the work is done by who reads it, since the sender waits 10 s at most. Listens on this machine only: let a
// proxy with a certificate stand before it.
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

type line struct {
	ID    string          `json:"webhook_id"`
	Event json.RawMessage `json:"event"`
}

// A file of events. A line that a crash cut short is removed: it was not answered, so its event comes again.
type journal struct {
	lock sync.Mutex
	file *os.File
	ids  map[string]bool
}

func openJournal(path string) *journal {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	check(err)
	text, err := io.ReadAll(file)
	check(err)
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	check(file.Truncate(int64(len(whole))))
	journal := &journal{file: file, ids: map[string]bool{}}
	for lines := json.NewDecoder(bytes.NewReader(whole)); lines.More(); {
		var one line
		check(lines.Decode(&one))
		journal.ids[one.ID] = true
	}
	return journal
}

// Drops a repeat. Afterwards the event is on the disk; without that the program ends without an answer.
func (journal *journal) write(one line) {
	journal.lock.Lock()
	defer journal.lock.Unlock()
	if journal.ids[one.ID] {
		return
	}
	text, err := json.Marshal(one)
	check(err)
	_, err = journal.file.Write(append(text, '\n'))
	check(err)
	check(journal.file.Sync())
	journal.ids[one.ID] = true
}

// Is true for a request that a holder of a secret has made within the last five minutes.
func isSigned(secrets [][]byte, header http.Header, body []byte) bool {
	id, timeText := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timeText, 10, 64)
	age := time.Since(time.Unix(seconds, 0))
	if id == "" || err != nil || age > 5*time.Minute || age < -5*time.Minute {
		return false
	}
	for _, text := range strings.Split(header.Get("webhook-signature"), " ") {
		code, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(text, "v1,"))
		if err != nil || !strings.HasPrefix(text, "v1,") {
			continue
		}
		for _, secret := range secrets {
			wanted := hmac.New(sha256.New, secret)
			wanted.Write([]byte(id + "." + timeText + "."))
			wanted.Write(body) // the bytes as they came, before anything reads them
			if hmac.Equal(code, wanted.Sum(nil)) {
				return true
			}
		}
	}
	return false
}

func main() {
	port := "9000"
	if len(os.Args) > 3 {
		port = os.Args[3]
	}
	text, err := os.ReadFile(os.Args[1])
	check(err)
	var secrets [][]byte
	for _, word := range strings.Fields(string(text)) {
		if strings.HasPrefix(word, "whsec_") {
			secret, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(word, "whsec_"))
			check(err)
			secrets = append(secrets, secret)
		}
	}
	journal := openJournal(os.Args[2])
	receive := func(answer http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(answer, request.Body, 1<<20))
		switch {
		case request.Method != http.MethodPost:
			answer.WriteHeader(http.StatusMethodNotAllowed)
		case err != nil:
			answer.WriteHeader(http.StatusRequestEntityTooLarge)
		case !isSigned(secrets, request.Header, body):
			answer.WriteHeader(http.StatusUnauthorized)
		default:
			journal.write(line{request.Header.Get("webhook-id"), body})
			answer.WriteHeader(http.StatusNoContent)
		}
	}
	server := &http.Server{
		Addr: "127.0.0.1:" + port, Handler: http.HandlerFunc(receive),
		ReadTimeout: 30 * time.Second, IdleTimeout: 30 * time.Second, // of a sender that says nothing more
	}
	log.Fatal(server.ListenAndServe())
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
