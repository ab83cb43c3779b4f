// Publishes a job and waits for its verdict and its outcome: go run consumer.go JOB.json JOURNAL.
// Needs github.com/rabbitmq/amqp091-go.
//
// The broker is named by FANFARE_AMQP_URL, the queue by FANFARE_QUEUE. JOURNAL gets every event of the job's app, one a
// line; a second run with the same journal goes on where the first one ended. Exits with 0 when the campaign is
// completed.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
)

type job struct{ ID, App string }

type key struct{ Source, ID string }

type event struct {
	key
	Type, Subject string
	Data          struct {
		Campaign, State                                                              string
		ExpiresAt                                                                    string `json:"expires_at"`
		Repeat                                                                       bool
		Errors                                                                       []struct{ Pointer, Detail string }
		Audience, Accepted, Invalid, Failed, Expired, Superseded, Cancelled, Skipped int
	}
}

// A file of events. A line that a crash cut short is removed: its event was not acknowledged and comes again.
type journal struct {
	file   *os.File
	keys   map[key]bool
	events []event
}

func openJournal(path string) *journal {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	check(err)
	text, err := io.ReadAll(file)
	check(err)
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	check(file.Truncate(int64(len(whole))))
	journal := &journal{file: file, keys: map[key]bool{}}
	for lines := json.NewDecoder(bytes.NewReader(whole)); lines.More(); {
		var one event
		check(lines.Decode(&one))
		journal.keys[one.key] = true
		journal.events = append(journal.events, one)
	}
	return journal
}

// Returns false for a repeat. Afterwards the event is on the disk.
func (journal *journal) write(one event, body []byte) bool {
	if journal.keys[one.key] {
		return false
	}
	var line bytes.Buffer
	check(json.Compact(&line, body))
	line.WriteByte('\n')
	_, err := journal.file.Write(line.Bytes())
	check(err)
	check(journal.file.Sync())
	journal.keys[one.key] = true
	return true
}

// Tells an event of the campaign; returns true and the exit code when nothing more is to be waited for.
func tell(one event) (bool, int) {
	data := one.Data
	code := map[bool]int{true: 0, false: 1}
	switch one.Type {
	case "campaign.refused":
		for _, problem := range data.Errors {
			fmt.Printf("refused: %s: %s\n", problem.Pointer, problem.Detail)
		}
		return true, 1
	case "campaign.accepted":
		fmt.Println("accepted, expires at", data.ExpiresAt)
		// The job came again after the end of its campaign, of which this queue was not told.
		if data.Repeat && (data.State == "completed" || data.State == "cancelled" || data.State == "failed") {
			fmt.Println("it was", data.State, "before: fanfare campaign status", data.Campaign)
			return true, code[data.State == "completed"]
		}
	case "campaign.completed", "campaign.cancelled":
		fmt.Printf("%s audience=%d accepted=%d invalid=%d failed=%d expired=%d superseded=%d cancelled=%d skipped=%d\n",
			strings.TrimPrefix(one.Type, "campaign."), data.Audience, data.Accepted, data.Invalid, data.Failed,
			data.Expired, data.Superseded, data.Cancelled, data.Skipped)
		return true, code[one.Type == "campaign.completed"]
	}
	return false, 0
}

func main() {
	body, err := os.ReadFile(os.Args[1])
	check(err)
	var job job
	check(json.Unmarshal(body, &job))
	journal := openJournal(os.Args[2])
	isOurs := func(one event) bool { return one.Source == "/fanfare/apps/"+job.App && one.Subject == job.ID }
	isKnown := false
	for _, one := range journal.events {
		if isOurs(one) && one.Type != "campaign.refused" {
			isKnown = true
			if isOver, code := tell(one); isOver {
				os.Exit(code)
			}
		}
	}

	connection, err := amqp.Dial(os.Getenv("FANFARE_AMQP_URL"))
	check(err)
	channel, err := connection.Channel()
	check(err)
	queue := os.Getenv("FANFARE_QUEUE")
	if queue == "" {
		queue = "answers.fanfare-producer.example"
	}
	// Bound before the job is published, so that no answer is missed; durable, so that none is lost while we are away.
	_, err = channel.QueueDeclare(queue, true, false, false, false, amqp.Table{"x-queue-type": "quorum"})
	check(err)
	check(channel.QueueBind(queue, job.App+".campaign.*", "fanfare.events", false, nil))
	if !isKnown {
		publish(channel, job, body)
		fmt.Println("published", job.ID)
	}
	check(channel.Qos(100, 0, false))
	deliveries, err := channel.Consume(queue, "", false, false, false, false, nil)
	check(err)
	for delivery := range deliveries {
		var one event
		check(json.Unmarshal(delivery.Body, &one))
		isNew := journal.write(one, delivery.Body)
		check(delivery.Ack(false)) // only now: what is not on the disk comes again
		if isNew && isOurs(one) {
			if isOver, code := tell(one); isOver {
				connection.Close()
				os.Exit(code)
			}
		}
	}
	log.Fatal("the connection is lost: run it again")
}

func publish(channel *amqp.Channel, job job, body []byte) {
	check(channel.Confirm(false))
	confirms := channel.NotifyPublish(make(chan amqp.Confirmation, 1))
	returns := channel.NotifyReturn(make(chan amqp.Return, 1))
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	mandatory := true // a job that nobody takes comes back
	check(channel.PublishWithContext(ctx, "fanfare.campaigns", job.App, mandatory, false, amqp.Publishing{
		ContentType:  "application/json",
		Type:         "fanfare.campaign.v1",
		MessageId:    job.ID,
		DeliveryMode: amqp.Persistent,
		Body:         body,
	}))
	select {
	case confirm := <-confirms:
		if !confirm.Ack {
			log.Fatal("the broker refused the job: run it again")
		}
	case <-ctx.Done():
		log.Fatal("no confirm: run it again, the id makes it one campaign")
	}
	// A return comes before its confirm.
	select {
	case back := <-returns:
		log.Fatalf("nobody takes it: %s", back.ReplyText)
	default:
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
